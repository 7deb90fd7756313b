/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that tell one session from no other. Empty words count for nothing;
 * generic ones ("fix", "test", "branch") count as content of a sentence, but
 * not as something that a title could be about.
 *
 * Both languages stand in one table: hardly a word of one is a telling word of
 * the other. A word that is missing costs little (a title is taken for more
 * telling than it is), one too many hides what a session was about; so words
 * that may be the name of a feature ("search", "cache") stay out.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* Words that say nothing, and the words of nearly every session with a coding
 * agent: these cannot tell one from another. Sorted by bytes, in lower case. */
enum weight {
    STOP,
    GENERIC
};

struct common {
    const char *text;
    enum weight weight;
};

#define COMMON_LONGEST 15

/* clang-format off */
static const struct common common_words[] = {
    { "a", STOP }, { "about", STOP }, { "across", STOP }, { "add", GENERIC },
    { "added", GENERIC }, { "after", STOP }, { "again", STOP },
    { "against", STOP }, { "agent", GENERIC }, { "ahora", STOP },
    { "al", STOP }, { "algo", STOP }, { "all", STOP }, { "already", STOP },
    { "also", STOP }, { "although", STOP }, { "always", STOP }, { "am", STOP },
    { "an", STOP }, { "and", STOP }, { "antes", STOP }, { "any", STOP },
    { "apply", GENERIC }, { "aquí", STOP }, { "are", STOP },
    { "around", STOP }, { "as", STOP }, { "así", STOP }, { "at", STOP },
    { "aunque", STOP }, { "back", STOP }, { "base", GENERIC }, { "be", STOP },
    { "because", STOP }, { "been", STOP }, { "before", STOP },
    { "behind", STOP }, { "being", STOP }, { "best", STOP },
    { "better", STOP }, { "between", STOP }, { "bien", STOP },
    { "both", STOP }, { "branch", GENERIC }, { "bug", GENERIC },
    { "build", GENERIC }, { "bump", GENERIC }, { "but", STOP }, { "by", STOP },
    { "can", STOP }, { "can't", STOP }, { "cannot", STOP },
    { "change", GENERIC }, { "changed", GENERIC }, { "check", GENERIC },
    { "ci", GENERIC }, { "code", GENERIC }, { "come", STOP },
    { "comes", STOP }, { "command", GENERIC }, { "commit", GENERIC },
    { "commits", GENERIC }, { "committed", GENERIC }, { "como", STOP },
    { "con", STOP }, { "conflict", GENERIC }, { "continue", GENERIC },
    { "correct", GENERIC }, { "could", STOP }, { "create", GENERIC },
    { "created", GENERIC }, { "cual", STOP }, { "cuando", STOP },
    { "current", GENERIC }, { "de", STOP }, { "debug", GENERIC },
    { "del", STOP }, { "delete", GENERIC }, { "description", GENERIC },
    { "desde", STOP }, { "detail", GENERIC }, { "did", STOP },
    { "didn't", STOP }, { "do", STOP }, { "doc", GENERIC },
    { "docs", GENERIC }, { "document", GENERIC }, { "does", STOP },
    { "doesn't", STOP }, { "doing", STOP }, { "don't", STOP },
    { "donde", STOP }, { "done", STOP }, { "dos", STOP }, { "down", STOP },
    { "during", STOP }, { "each", STOP }, { "edit", GENERIC },
    { "either", STOP }, { "el", STOP }, { "ella", STOP }, { "ellos", STOP },
    { "else", STOP }, { "en", STOP }, { "enough", STOP }, { "entre", STOP },
    { "era", STOP }, { "eres", STOP }, { "error", GENERIC }, { "es", STOP },
    { "esa", STOP }, { "ese", STOP }, { "eso", STOP }, { "esta", STOP },
    { "estas", STOP }, { "este", STOP }, { "esto", STOP }, { "estos", STOP },
    { "está", STOP }, { "están", STOP }, { "even", STOP }, { "ever", STOP },
    { "every", STOP }, { "explain", GENERIC }, { "fail", GENERIC },
    { "failed", GENERIC }, { "failing", GENERIC }, { "failure", GENERIC },
    { "few", STOP }, { "file", GENERIC }, { "finding", GENERIC },
    { "first", STOP }, { "fix", GENERIC }, { "fixed", GENERIC },
    { "fixes", GENERIC }, { "folder", GENERIC }, { "for", STOP },
    { "from", STOP }, { "fue", STOP }, { "fueron", STOP },
    { "function", GENERIC }, { "further", STOP }, { "get", STOP },
    { "gets", STOP }, { "give", STOP }, { "go", STOP }, { "goes", STOP },
    { "going", STOP }, { "good", STOP }, { "got", STOP }, { "gracias", STOP },
    { "ha", STOP }, { "hace", STOP }, { "hacia", STOP }, { "had", STOP },
    { "han", STOP }, { "has", STOP }, { "hasta", STOP }, { "have", STOP },
    { "having", STOP }, { "hay", STOP }, { "he", STOP }, { "help", GENERIC },
    { "her", STOP }, { "here", STOP }, { "hers", STOP }, { "him", STOP },
    { "his", STOP }, { "hola", STOP }, { "how", STOP }, { "however", STOP },
    { "i", STOP }, { "i'd", STOP }, { "i'll", STOP }, { "i'm", STOP },
    { "i've", STOP }, { "if", STOP }, { "implement", GENERIC },
    { "implementation", GENERIC }, { "improve", GENERIC }, { "in", STOP },
    { "instead", STOP }, { "instruction", GENERIC }, { "into", STOP },
    { "is", STOP }, { "isn't", STOP }, { "issue", GENERIC }, { "it", STOP },
    { "it's", STOP }, { "its", STOP }, { "itself", STOP }, { "just", STOP },
    { "keep", GENERIC }, { "keeping", GENERIC }, { "kept", GENERIC },
    { "la", STOP }, { "las", STOP }, { "last", STOP }, { "later", STOP },
    { "latest", GENERIC }, { "le", STOP }, { "les", STOP }, { "let", STOP },
    { "let's", STOP }, { "lets", STOP }, { "like", STOP }, { "lint", GENERIC },
    { "little", STOP }, { "lo", STOP }, { "look", STOP }, { "looks", STOP },
    { "los", STOP }, { "lot", STOP }, { "made", STOP }, { "main", GENERIC },
    { "make", STOP }, { "makes", STOP }, { "many", STOP },
    { "master", GENERIC }, { "may", STOP }, { "maybe", STOP }, { "me", STOP },
    { "mejor", STOP }, { "merge", GENERIC }, { "message", GENERIC },
    { "mi", STOP }, { "mientras", STOP }, { "might", STOP }, { "mis", STOP },
    { "mode", GENERIC }, { "more", STOP }, { "most", STOP },
    { "move", GENERIC }, { "much", STOP }, { "must", STOP }, { "muy", STOP },
    { "my", STOP }, { "más", STOP }, { "need", STOP }, { "needs", STOP },
    { "never", STOP }, { "new", STOP }, { "next", STOP }, { "ni", STOP },
    { "no", STOP }, { "nor", STOP }, { "nos", STOP }, { "nosotros", STOP },
    { "not", STOP }, { "nothing", STOP }, { "now", STOP }, { "nuestro", STOP },
    { "o", STOP }, { "of", STOP }, { "off", STOP }, { "ok", STOP },
    { "okay", STOP }, { "on", STOP }, { "once", STOP }, { "one", STOP },
    { "only", STOP }, { "onto", STOP }, { "open", GENERIC }, { "or", STOP },
    { "os", STOP }, { "other", STOP }, { "otra", STOP }, { "otro", STOP },
    { "our", STOP }, { "ours", STOP }, { "out", STOP }, { "over", STOP },
    { "own", STOP }, { "para", STOP }, { "per", STOP }, { "perhaps", STOP },
    { "pero", STOP }, { "plan", GENERIC }, { "please", STOP }, { "por", STOP },
    { "porque", STOP }, { "possible", GENERIC }, { "pr", GENERIC },
    { "problem", GENERIC }, { "project", GENERIC }, { "prompt", GENERIC },
    { "provide", GENERIC }, { "puede", STOP }, { "pues", STOP },
    { "pull", GENERIC }, { "push", GENERIC }, { "pushed", GENERIC },
    { "put", STOP }, { "que", STOP }, { "quien", STOP }, { "quiero", STOP },
    { "qué", STOP }, { "rather", STOP }, { "read", GENERIC },
    { "readme", GENERIC }, { "really", STOP }, { "refactor", GENERIC },
    { "regression", GENERIC }, { "remove", GENERIC }, { "rename", GENERIC },
    { "repo", GENERIC }, { "report", GENERIC }, { "repository", GENERIC },
    { "request", GENERIC }, { "resolve", GENERIC }, { "result", GENERIC },
    { "revert", GENERIC }, { "review", GENERIC }, { "right", STOP },
    { "run", GENERIC }, { "running", GENERIC }, { "said", STOP },
    { "same", STOP }, { "say", STOP }, { "says", STOP }, { "script", GENERIC },
    { "se", STOP }, { "see", STOP }, { "seems", STOP },
    { "selected", GENERIC }, { "ser", STOP }, { "session", GENERIC },
    { "setup", GENERIC }, { "she", STOP }, { "ship", GENERIC },
    { "shipped", GENERIC }, { "should", STOP }, { "show", GENERIC },
    { "si", STOP }, { "sin", STOP }, { "since", STOP }, { "sino", STOP },
    { "so", STOP }, { "sobre", STOP }, { "some", STOP }, { "something", STOP },
    { "son", STOP }, { "start", GENERIC }, { "step", GENERIC },
    { "still", STOP }, { "su", STOP }, { "such", STOP }, { "suite", GENERIC },
    { "summary", GENERIC }, { "sure", STOP }, { "sus", STOP }, { "sé", STOP },
    { "sí", STOP }, { "take", STOP }, { "takes", STOP }, { "también", STOP },
    { "task", GENERIC }, { "test", GENERIC }, { "testing", GENERIC },
    { "tests", GENERIC }, { "than", STOP }, { "thank", STOP },
    { "thanks", STOP }, { "that", STOP }, { "that's", STOP }, { "the", STOP },
    { "their", STOP }, { "them", STOP }, { "then", STOP }, { "there", STOP },
    { "these", STOP }, { "they", STOP }, { "thing", STOP }, { "things", STOP },
    { "think", GENERIC }, { "this", STOP }, { "those", STOP },
    { "though", STOP }, { "through", STOP }, { "tiene", STOP }, { "to", STOP },
    { "todo", STOP }, { "too", STOP }, { "try", GENERIC }, { "tu", STOP },
    { "tus", STOP }, { "un", STOP }, { "una", STOP }, { "unas", STOP },
    { "under", STOP }, { "understand", GENERIC }, { "uno", STOP },
    { "unos", STOP }, { "until", STOP }, { "up", STOP }, { "update", GENERIC },
    { "updated", GENERIC }, { "upon", STOP }, { "us", STOP }, { "usar", STOP },
    { "use", STOP }, { "used", STOP }, { "user", GENERIC }, { "uses", STOP },
    { "using", STOP }, { "vamos", STOP }, { "version", GENERIC },
    { "very", STOP }, { "via", STOP }, { "want", STOP }, { "wants", STOP },
    { "was", STOP }, { "way", STOP }, { "we", STOP }, { "well", STOP },
    { "were", STOP }, { "what", STOP }, { "when", STOP }, { "where", STOP },
    { "whether", STOP }, { "which", STOP }, { "while", STOP }, { "who", STOP },
    { "why", STOP }, { "will", STOP }, { "with", STOP }, { "within", STOP },
    { "without", STOP }, { "won't", STOP }, { "work", GENERIC },
    { "working", GENERIC }, { "would", STOP }, { "write", GENERIC },
    { "y", STOP }, { "ya", STOP }, { "yes", STOP }, { "yet", STOP },
    { "yo", STOP }, { "you", STOP }, { "you're", STOP }, { "your", STOP },
    { "yours", STOP },
};
/* clang-format on */

/* strcmp(), which is called through a table that costs more than the one or two
 * bytes by which most of these words differ. */
static int compare(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

/* The entry of the word without regard to case, or NULL. */
static const struct common *find_common(struct jz__str word)
{
    char lower[COMMON_LONGEST + 1];
    size_t low = 0;
    size_t high = JZ__LENGTH(common_words);
    size_t i;

    if (word.length > COMMON_LONGEST) {
        return NULL;
    }
    for (i = 0; i < word.length; i++) {
        char c = word.data[i];

        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    lower[i] = '\0';
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(lower, common_words[middle].text);

        if (order == 0) {
            return &common_words[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* A singular stands for its plural too. */
void jz__extract_common_find(bool *is_stop, bool *is_generic,
                             struct jz__str word)
{
    const struct common *common = find_common(word);

    if (common == NULL && word.length > 3 &&
        (word.data[word.length - 1] | 32) == 's') {
        word.length--;
        common = find_common(word);
    }
    *is_stop = common != NULL && common->weight == STOP;
    *is_generic = common != NULL && common->weight == GENERIC;
}

/* The search finds nothing in a table that somebody extended at its end. */
bool jz__extract_common_is_sorted(void)
{
    size_t i;

    for (i = 1; i < JZ__LENGTH(common_words); i++) {
        if (strcmp(common_words[i - 1].text, common_words[i].text) >= 0 ||
            strlen(common_words[i].text) > COMMON_LONGEST) {
            return false;
        }
    }
    return true;
}
