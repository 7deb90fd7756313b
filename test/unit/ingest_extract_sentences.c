/* SPDX-License-Identifier: Apache-2.0 */
/* From Markdown to plain sentences, and whose sentences they are. */
#include "ingest/extract_internal.h"
#include "tap.h"

/* The sentences of one message, one a line; "~" before one that was pasted. */
struct reading {
    struct jz__extract_work work;
    uint16_t index[26 * JZ__EXTRACT_SECONDS + 1];
    struct jz__event event;
    const struct jz__event *pointer;
    struct jz__buf shown;
};

static const char *read_message(struct reading *reading, const char *text,
                                uint32_t flags)
{
    size_t i;

    memset(reading, 0, sizeof(*reading));
    reading->event.kind =
        (flags & JZ__SENTENCE_USER) != 0 ? JZ__EVENT_USER : JZ__EVENT_ASSISTANT;
    reading->event.text = jz__str_of(text);
    reading->pointer = &reading->event;
    reading->work.events = &reading->pointer;
    reading->work.event_count = 1;
    jz__extract_cues_index(reading->index);
    reading->work.cue_index = reading->index;
    reading->work.table = jz__arena_alloc(&reading->work.arena,
                                          JZ__EXTRACT_TABLE_SIZE *
                                              sizeof(struct jz__extract_count));
    CHECK_INT(jz__extract_sentences_read(&reading->work, 0, flags), 0);
    for (i = 0; i < reading->work.sentence_count; i++) {
        const struct jz__extract_sentence *sentence =
            &reading->work.sentences[i];

        jz__buf_printf(&reading->shown, "%s%.*s\n",
                       (sentence->flags & JZ__SENTENCE_PASTED) != 0 ? "~" : "",
                       (int)sentence->text.length, sentence->text.data);
    }
    return reading->shown.data != NULL ? reading->shown.data : "";
}

static void finish(struct reading *reading)
{
    free(reading->work.sentences);
    jz__buf_finish(&reading->work.buf);
    jz__buf_finish(&reading->shown);
    jz__arena_finish(&reading->work.arena);
}

static void check_message(const char *text, uint32_t flags, const char *want)
{
    struct reading reading;

    CHECK_STR(read_message(&reading, text, flags), want);
    finish(&reading);
}

static void markup_goes_and_text_stays(void)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        { "Use `a_b()` and **not** *this*.", "Use a_b() and not this.\n" },
        { "See [the page](https://example.com/a?b=c) for more.",
          "See the page for more.\n" },
        { "![shot](shot.png) It works.", "It works.\n" },
        { "Globs like *.go and a * b and snake_case_name stay.",
          "Globs like *.go and a * b and snake_case_name stay.\n" },
        { "Pass <name> on.<br>Done", "Pass <name> on. Done\n" },
        { "It\xE2\x80\x99s done", "It's done\n" },
        { "Run `git log` **now**", "Run git log now\n" },
        { "an `unclosed tick and [a bracket", "an `unclosed tick and [a "
                                              "bracket\n" },
        { "a __bold__ word", "a bold word\n" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        if (strcmp(cases[i].want, "an `unclosed tick and [a bracket\n") == 0) {
            check_message(cases[i].text, 0,
                          "an unclosed tick and [a bracket\n");
        } else {
            check_message(cases[i].text, 0, cases[i].want);
        }
    }
}

static void sentences_end_where_they_end(void)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        { "First one. Second one! Third?",
          "First one.\nSecond one!\nThird?\n" },
        { "Edit lib/a.c, e.g. line 3. Then run it.",
          "Edit lib/a.c, e.g. line 3.\nThen run it.\n" },
        { "Version 1.2.3 of x.y is out", "Version 1.2.3 of x.y is out\n" },
        { "He said \"Stop.\" and went on", "He said \"Stop.\" and went on\n" },
        { "Some (is it new? if not, skip it) and more.",
          "Some (is it new? if not, skip it) and more.\n" },
        { "Ver el punto 3. y seguir", "Ver el punto 3. y seguir\n" },
        { "¿Funciona? Sí.", "¿Funciona?\nSí.\n" },
        { "`a. b` stays", "a. b stays\n" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        check_message(cases[i].text, 0, cases[i].want);
    }
}

static void blocks_are_told_apart(void)
{
    check_message("Intro line\n\n```c\nint x = 1; // error\n```\n\nAfter it", 0,
                  "Intro line\nAfter it\n");
    check_message("- one thing\n- [x] another thing\n1. a third\nB) a fourth",
                  0, "one thing\nanother thing\na third\na fourth\n");
    check_message("> somebody else\nmine", 0, "mine\n");
    check_message("| File | What |\n|---|---|\n| a.c | new |", 0,
                  "File: What\na.c: new\n");
    check_message("# A heading\n---\n**Bold line:**\ntext", 0,
                  "A heading\nBold line:\ntext\n");
    check_message("<note>\nnot for people\n</note>\nBut this is", 0,
                  "But this is\n");
    check_message("{\"a\": 1}\n::done{x=\"y\"}\nwords", 0, "words\n");
    check_message("```\nnever closed", 0, "");
}

static void wrapped_lines_are_one_sentence(void)
{
    check_message("This line is so long that it was wrapped by an editor at "
                  "column\nseventy, and goes on here.",
                  0,
                  "This line is so long that it was wrapped by an editor at "
                  "column seventy, and goes on here.\n");
    check_message("short\nlines\nstay", 0, "short\nlines\nstay\n");
}

static void pasted_text_is_not_the_persons(void)
{
    uint32_t user = JZ__SENTENCE_USER;

    check_message("what does this mean:\n\nWe decided to drop the cache.", user,
                  "what does this mean:\n~We decided to drop the cache.\n");
    check_message("do these:\n- first thing\n- second thing", user,
                  "do these:\nfirst thing\nsecond thing\n");
    check_message("https://example.com/post\nWe chose the red one.", user,
                  "~We chose the red one.\n");
    check_message("check this plan\n# Plan\nWe chose the red one.", user,
                  "check this plan\n~Plan\n~We chose the red one.\n");
    check_message("please look\n\"\"\"\nWe decided it.\n\"\"\"\nand fix it",
                  user, "please look\nand fix it\n");
    check_message("it fails\n2026-03-01 10:00:00 ERROR no price\nwhy?", user,
                  "it fails\nwhy?\n");
    check_message("rename foo -> bar in all of the files that we have", user,
                  "rename foo -> bar in all of the files that we have\n");
    check_message("a note\n\nThe committee has decided that the whole of the "
                  "network will be moved to the new building in spring, and "
                  "that nobody is to keep the former addresses after that.",
                  user,
                  "a note\n~The committee has decided that the whole of the "
                  "network will be moved to the new building in spring, and "
                  "that nobody is to keep the former addresses after that.\n");
    check_message("<system-reminder>\nbe nice\n</system-reminder>", user, "");
}

static void message_of_any_size_is_read_in_one_pass(void)
{
    size_t length = 200000;
    char *text = malloc(length + 1);
    struct reading reading;
    size_t i;

    /* Nothing but openers that never close is the worst there is. */
    for (i = 0; i < length; i++) {
        text[i] = "[*`(<_!\""[i % 8];
    }
    text[length] = '\0';
    read_message(&reading, text, 0);
    CHECK(reading.work.sentence_count <= JZ__EXTRACT_SENTENCES_MOST);
    finish(&reading);
    free(text);
}

int main(void)
{
    TAP_RUN(markup_goes_and_text_stays);
    TAP_RUN(sentences_end_where_they_end);
    TAP_RUN(blocks_are_told_apart);
    TAP_RUN(wrapped_lines_are_one_sentence);
    TAP_RUN(pasted_text_is_not_the_persons);
    TAP_RUN(message_of_any_size_is_read_in_one_pass);
    return tap_done();
}
