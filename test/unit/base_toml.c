/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TOML reader against tables of documents: a valid one and what it holds,
 * printed as one line, or an invalid one and the message it must give. The
 * cases follow the sections of the TOML 1.0 specification.
 */
#include "base/toml.h"

#include <math.h>

#include "base/buf.h"
#include "tap.h"

struct document {
    const char *text;
    const char *want; /* what print() makes of it, or the message */
};

static void print_text(struct jz__buf *out, struct jz__str text)
{
    size_t i;

    jz__buf_putc(out, '"');
    for (i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\') {
            jz__buf_printf(out, "<%02x>", c);
        } else {
            jz__buf_putc(out, (char)c);
        }
    }
    jz__buf_putc(out, '"');
}

/* NOLINTNEXTLINE(misc-no-recursion): the reader bounds the depth. */
static void print(struct jz__buf *out, const struct jz__toml_value *value)
{
    const struct jz__toml_value *child;

    switch (value->type) {
    case JZ__TOML_STRING:
        print_text(out, value->text);
        break;
    case JZ__TOML_INTEGER:
        jz__buf_printf(out, "%lld", (long long)value->integer);
        break;
    case JZ__TOML_FLOAT:
        jz__buf_printf(out, "f%.17g", value->real);
        break;
    case JZ__TOML_BOOLEAN:
        jz__buf_puts(out, value->boolean ? "true" : "false");
        break;
    case JZ__TOML_DATE:
        jz__buf_printf(out, "@%s", value->text.data);
        break;
    case JZ__TOML_ARRAY:
    case JZ__TOML_TABLE:
        jz__buf_putc(out, value->type == JZ__TOML_ARRAY ? '[' : '{');
        for (child = value->first; child != NULL; child = child->next) {
            if (value->type == JZ__TOML_TABLE) {
                print_text(out, child->key);
                jz__buf_putc(out, ':');
            }
            print(out, child);
            if (child->next != NULL) {
                jz__buf_putc(out, ' ');
            }
        }
        jz__buf_putc(out, value->type == JZ__TOML_ARRAY ? ']' : '}');
        break;
    }
}

static void check_valid(const char *text, size_t length, const char *want)
{
    struct jz__toml toml = JZ__TOML_INIT;
    struct jz__error error = { 0 };
    struct jz__buf got = JZ__BUF_INIT;

    if (!CHECK_INT(jz__toml_parse(&toml, text, length, &error), JZ_OK)) {
        printf("# of: %s\n# %s\n", text, error.message);
    } else {
        print(&got, toml.root);
        if (!CHECK_STR(got.data, want)) {
            printf("# of: %s\n", text);
        }
    }
    jz__buf_finish(&got);
    jz__toml_finish(&toml);
}

static void check_invalid(const char *text, size_t length, const char *want)
{
    struct jz__toml toml = JZ__TOML_INIT;
    struct jz__error error = { 0 };

    if (!CHECK_INT(jz__toml_parse(&toml, text, length, &error), JZ_EINVAL) ||
        !CHECK_STR(error.message, want)) {
        printf("# of: %s\n", text);
    }
    jz__toml_finish(&toml);
}

static void check_valid_all(const struct document *documents, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        check_valid(documents[i].text, strlen(documents[i].text),
                    documents[i].want);
    }
}

static void check_invalid_all(const struct document *documents, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        check_invalid(documents[i].text, strlen(documents[i].text),
                      documents[i].want);
    }
}

#define VALID_ALL(documents) check_valid_all(documents, JZ__LENGTH(documents))
#define INVALID_ALL(documents)                                                 \
    check_invalid_all(documents, JZ__LENGTH(documents))

static void layout_is_free_where_toml_says_so(void)
{
    static const struct document documents[] = {
        { "", "{}" },
        { "\n\n", "{}" },
        { "# only a comment", "{}" },
        { "# caf\xc3\xa9 \xe2\x98\x83\ttab\n", "{}" },
        { "a=1", "{\"a\":1}" },
        { "a = 1\n", "{\"a\":1}" },
        { "a = 1\r\nb = 2\r\n", "{\"a\":1 \"b\":2}" },
        { "\ta\t=\t1\t# why\n", "{\"a\":1}" },
        { "  \n\t\n# x\na = 1 #y", "{\"a\":1}" },
        { "\xEF\xBB\xBF"
          "a = 1",
          "{\"a\":1}" },
        { "a = \"# no comment\" # one", "{\"a\":\"# no comment\"}" },
        { "[ a ]\n[ b . c ]\n", "{\"a\":{} \"b\":{\"c\":{}}}" },
        { "[a] # comment\nb=1", "{\"a\":{\"b\":1}}" },
        { "#\r\n#\n", "{}" },
    };

    VALID_ALL(documents);
}

static void layout_that_toml_forbids_is_refused(void)
{
    static const struct document documents[] = {
        { "a = 1 b = 2", "line 1: the line must end here, found 'b = 2'" },
        { "a = 1\rb = 2", "line 1: control character 0x0d" },
        { "\ra = 1", "line 1: control character 0x0d" },
        { "a = \"x\r\"", "line 1: control character 0x0d in a string" },
        { "# bad \x01 comment", "line 1: control character 0x01 in a comment" },
        { "# bad \x7f comment", "line 1: control character 0x7f in a comment" },
        { "# bad \r comment", "line 1: control character 0x0d in a comment" },
        { "\n\n\x02", "line 3: control character 0x02" },
        { "a = 1 \x0b", "line 1: control character 0x0b" },
        { "a = \n1", "line 1: a value is missing" },
        { "a\n= 1", "line 1: '=' is missing behind the key 'a'" },
        { "a", "line 1: '=' is missing behind the key 'a'" },
        { "a =", "line 1: a value is missing" },
        { "= 1", "line 1: a key is missing: it must be A-Z a-z 0-9 _ - or "
                 "stand in quotes" },
        { "[a] b = 1", "line 1: the line must end here, found 'b = 1'" },
        { "a = 1\n# fine\nb = \"\xff\"", "line 3: the text is not UTF-8" },
        { "# \xc3\n", "line 1: the text is not UTF-8" },
        { "a = \"\xed\xa0\x80\"", "line 1: the text is not UTF-8" },
        { "a = \"\xc0\xaf\"", "line 1: the text is not UTF-8" },
        { "a = 1\n\xEF\xBB\xBF"
          "b = 1",
          "line 2: a key is missing: it must be A-Z a-z 0-9 _ - or stand in "
          "quotes" },
    };

    INVALID_ALL(documents);
}

static void keys_are_bare_quoted_or_dotted(void)
{
    static const struct document documents[] = {
        { "A-Z_9 = 1", "{\"A-Z_9\":1}" },
        { "1234 = 1", "{\"1234\":1}" },
        { "- = 1\n_ = 2", "{\"-\":1 \"_\":2}" },
        { "\"a b\" = 1", "{\"a b\":1}" },
        { "\"\" = 1", "{\"\":1}" },
        { "'' = 1", "{\"\":1}" },
        { "'a\"b' = 1", "{\"a<22>b\":1}" },
        { "\"\\u0041\\t\" = 1", "{\"A<09>\":1}" },
        { "\"\xca\x8e\" = 1", "{\"\xca\x8e\":1}" },
        { "a.b.c = 1", "{\"a\":{\"b\":{\"c\":1}}}" },
        { "a . \"b.c\" . 'd' = 1", "{\"a\":{\"b.c\":{\"d\":1}}}" },
        { "3.14 = 1", "{\"3\":{\"14\":1}}" },
        { "a.x = 1\nb.x = 2\na.y = 3",
          "{\"a\":{\"x\":1 \"y\":3} \"b\":{\"x\":2}}" },
        { "true = 1\ninf = 2", "{\"true\":1 \"inf\":2}" },
        { "\"a\\u0000\" = 1\na = 2", "{\"a<00>\":1 \"a\":2}" },
    };

    VALID_ALL(documents);
}

static void wrong_keys_are_refused(void)
{
    static const char missing[] = "line 1: a key is missing: it must be A-Z "
                                  "a-z 0-9 _ - or stand in quotes";
    static const struct document documents[] = {
        { "a. = 1", missing },
        { ".a = 1", missing },
        { "a..b = 1", missing },
        { "\xc3\xa9 = 1", missing },
        { "a b = 1", "line 1: '=' is missing behind the key 'a'" },
        { "a+b = 1", "line 1: '=' is missing behind the key 'a'" },
        { "\"\"\"a\"\"\" = 1", "line 1: a key may not be a multi-line string" },
        { "'''a''' = 1", "line 1: a key may not be a multi-line string" },
        { "\"a\nb\" = 1", "line 1: the string is not closed" },
        { "\"a = 1", "line 1: the file ends inside a string" },
        { "a = 1\na = 2", "line 2: 'a' is defined already, in line 1" },
        { "a = 1\n\n\"a\" = 2", "line 3: 'a' is defined already, in line 1" },
        { "a.b = 1\na.b = 2", "line 2: 'b' is defined already, in line 1" },
        { "a = 1\na.b = 2", "line 2: nothing can be added to 'a', which is an "
                            "integer of line 1" },
        { "a.b = 1\na = 2", "line 2: 'a' is defined already, in line 1" },
    };

    INVALID_ALL(documents);
}

static void basic_strings_have_escapes(void)
{
    static const struct document documents[] = {
        { "a = \"\"", "{\"a\":\"\"}" },
        { "a = \"\\b\\t\\n\\f\\r\\\"\\\\\"",
          "{\"a\":\"<08><09><0a><0c><0d><22><5c>\"}" },
        { "a = \"\\u00e9\\U0001F600\"",
          "{\"a\":\"\xc3\xa9\xf0\x9f\x98\x80\"}" },
        { "a = \"\\uD7FF\\uE000\"", "{\"a\":\"\xed\x9f\xbf\xee\x80\x80\"}" },
        { "a = \"\\U0010FFFF\"", "{\"a\":\"\xf4\x8f\xbf\xbf\"}" },
        { "a = \"x\\u0000y\"", "{\"a\":\"x<00>y\"}" },
        { "a = \"tab\there\"", "{\"a\":\"tab<09>here\"}" },
        { "a = \"it's\"", "{\"a\":\"it's\"}" },
    };

    VALID_ALL(documents);
}

static void literal_strings_have_none(void)
{
    static const struct document documents[] = {
        { "a = ''", "{\"a\":\"\"}" },
        { "a = 'C:\\Users\\n'", "{\"a\":\"C:<5c>Users<5c>n\"}" },
        { "a = 'say \"hi\"'", "{\"a\":\"say <22>hi<22>\"}" },
        { "a = '<\\i\\c*\\s*>'", "{\"a\":\"<<5c>i<5c>c*<5c>s*>\"}" },
    };

    VALID_ALL(documents);
}

static void long_strings_span_lines(void)
{
    static const struct document documents[] = {
        { "a = \"\"\"\"\"\"", "{\"a\":\"\"}" },
        { "a = \"\"\"\nx\ny\"\"\"", "{\"a\":\"x<0a>y\"}" },
        { "a = \"\"\"\r\nx\r\ny\"\"\"", "{\"a\":\"x<0a>y\"}" },
        { "a = \"\"\"\n\nx\"\"\"", "{\"a\":\"<0a>x\"}" },
        { "a = \"\"\"x \\\n  \t\n  y\"\"\"", "{\"a\":\"x y\"}" },
        { "a = \"\"\"x \\  \t\n y\"\"\"", "{\"a\":\"x y\"}" },
        { "a = \"\"\"\\\n  x\\\r\n  \"\"\"", "{\"a\":\"x\"}" },
        { "a = \"\"\"x\\\\\n\"\"\"", "{\"a\":\"x<5c><0a>\"}" },
        { "a = \"\"\"\"x\"\"\"", "{\"a\":\"<22>x\"}" },
        { "a = \"\"\"x\"\"\"\"", "{\"a\":\"x<22>\"}" },
        { "a = \"\"\"x\"\"\"\"\"", "{\"a\":\"x<22><22>\"}" },
        { "a = \"\"\"x\"\"y\"z\"\"\"", "{\"a\":\"x<22><22>y<22>z\"}" },
        { "a = \"\"\"x\"\"\\\"\"\"\"", "{\"a\":\"x<22><22><22>\"}" },
        { "a = \"\"\"\\u00e9\"\"\"", "{\"a\":\"\xc3\xa9\"}" },
        { "a = ''''''", "{\"a\":\"\"}" },
        { "a = '''\nx\\\ny'''", "{\"a\":\"x<5c><0a>y\"}" },
        { "a = '''it''s'''", "{\"a\":\"it''s\"}" },
        { "a = '''''x'''''", "{\"a\":\"''x''\"}" },
        { "a = '''x\r\ny'''", "{\"a\":\"x<0a>y\"}" },
    };

    VALID_ALL(documents);
}

static void wrong_strings_are_refused(void)
{
    static const struct document documents[] = {
        { "a = \"x", "line 1: the file ends inside a string" },
        { "a = 'x", "line 1: the file ends inside a string" },
        { "a = \"x\ny\"", "line 1: the string is not closed" },
        { "a = 'x\r\ny'", "line 1: the string is not closed" },
        { "a = \"\\e\"", "line 1: \\e is no escape sequence" },
        { "a = \"\\x41\"", "line 1: \\x is no escape sequence" },
        { "a = \"\\/\"", "line 1: \\/ is no escape sequence" },
        { "a = \"\\ \"", "line 1: a backslash without an escape sequence" },
        { "a = \"\\", "line 1: a backslash without an escape sequence" },
        { "a = \"x\\\ny\"", "line 1: a backslash without an escape sequence" },
        { "a = \"\\u12\"", "line 1: \\u needs 4 hexadecimal digits" },
        { "a = \"\\u12G4\"", "line 1: \\u needs 4 hexadecimal digits" },
        { "a = \"\\U0001F60\"", "line 1: \\U needs 8 hexadecimal digits" },
        { "a = \"\\uD800\"", "line 1: U+D800 is no character" },
        { "a = \"\\uDFFF\"", "line 1: U+DFFF is no character" },
        { "a = \"\\U00110000\"", "line 1: U+110000 is no character" },
        { "a = \"\\UFFFFFFFF\"", "line 1: U+FFFFFFFF is no character" },
        { "a = \"\x1f\"", "line 1: control character 0x1f in a string" },
        { "a = '\x7f'", "line 1: control character 0x7f in a string" },
        { "a = '''\x08'''", "line 1: control character 0x08 in a string" },
        { "a = '''x\ry'''", "line 1: control character 0x0d in a string" },
        { "a = \"\"\"\n\n\\q\"\"\"", "line 3: \\q is no escape sequence" },
        { "a = \"\"\"x\\ y\"\"\"",
          "line 1: a backslash without an escape sequence" },
        { "\na = \"\"\"\nx",
          "line 3: the string that begins in line 2 is not closed" },
        { "a = '''\nx''",
          "line 2: the string that begins in line 1 is not closed" },
        { "a = \"\"\"x\"\"\"\"\"\"",
          "line 1: the line must end here, found '\"'" },
        { "a = '''''''''", "line 1: the line must end here, found '''" },
        { "a = 'it's'", "line 1: the line must end here, found 's''" },
        { "a = \"x\"y", "line 1: the line must end here, found 'y'" },
        { "a = x", "line 1: 'x' is no value: text needs quotes" },
        { "a = True", "line 1: 'True' is no value: true or false is, in small "
                      "letters; text needs quotes" },
        { "a = yes", "line 1: 'yes' is no value: true or false is, in small "
                     "letters; text needs quotes" },
        { "a = /etc/x", "line 1: a value is missing: text needs quotes" },
    };

    INVALID_ALL(documents);
}

static void integers_come_in_four_bases(void)
{
    static const struct document documents[] = {
        { "a = 0\nb = +0\nc = -0", "{\"a\":0 \"b\":0 \"c\":0}" },
        { "a = 42\nb = +99\nc = -17", "{\"a\":42 \"b\":99 \"c\":-17}" },
        { "a = 1_000\nb = 5_3_4", "{\"a\":1000 \"b\":534}" },
        { "a = 9223372036854775807", "{\"a\":9223372036854775807}" },
        { "a = -9223372036854775808", "{\"a\":-9223372036854775808}" },
        { "a = 0xDEADBEEF\nb = 0xdead_beef",
          "{\"a\":3735928559 \"b\":3735928559}" },
        { "a = 0x7fffffffffffffff", "{\"a\":9223372036854775807}" },
        { "a = 0o755\nb = 0b1101_0110", "{\"a\":493 \"b\":214}" },
        { "a = 0x00\nb = 0o07\nc = 0b01", "{\"a\":0 \"b\":7 \"c\":1}" },
    };

    VALID_ALL(documents);
}

static void floats_have_a_point_or_an_exponent(void)
{
    static const struct document documents[] = {
        { "a = +1.0\nb = -0.5", "{\"a\":f1 \"b\":f-0.5}" },
        { "a = 5e+22\nb = 1e06\nc = -2E-2",
          "{\"a\":f4.9999999999999996e+22 \"b\":f1000000 "
          "\"c\":f-0.02}" },
        { "a = 6.5e2\nb = 1_0.2_5", "{\"a\":f650 \"b\":f10.25}" },
        { "a = 1e1_0", "{\"a\":f10000000000}" },
        { "a = 0.0\nb = -0.0\nc = 0e0", "{\"a\":f0 \"b\":f-0 \"c\":f0}" },
        { "a = inf\nb = +inf\nc = -inf",
          "{\"a\":finf \"b\":finf \"c\":f-inf}" },
    };

    VALID_ALL(documents);
}

static void nan_is_a_number_of_its_own(void)
{
    static const char *const texts[] = { "a = nan", "a = +nan", "a = -nan" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(texts); i++) {
        struct jz__toml toml = JZ__TOML_INIT;

        CHECK_INT(jz__toml_parse(&toml, texts[i], strlen(texts[i]), NULL), 0);
        CHECK(isnan(jz__toml_get(toml.root, "a")->real));
        jz__toml_finish(&toml);
    }
}

static void wrong_numbers_are_refused(void)
{
#define MISPLACED "is no number: a digit, sign or underscore is misplaced"
#define NO_NUMBER "is no number, and text needs quotes"
    static const struct document documents[] = {
        { "a = 01",
          "line 1: '01' is no number: a leading zero is not allowed" },
        { "a = -01",
          "line 1: '-01' is no number: a leading zero is not allowed" },
        { "a = 0_1",
          "line 1: '0_1' is no number: a leading zero is not allowed" },
        { "a = 1_", "line 1: '1_' " MISPLACED },
        { "a = _1", "line 1: '_1' is no value: text needs quotes" },
        { "a = 1__0", "line 1: '1__0' " MISPLACED },
        { "a = ++1", "line 1: '++1' " MISPLACED },
        { "a = +", "line 1: '+' " MISPLACED },
        { "a = 1a", "line 1: '1a' " NO_NUMBER },
        { "a = 127.0.0.1", "line 1: '127.0.0.1' " NO_NUMBER },
        { "a = 9223372036854775808",
          "line 1: '9223372036854775808' is out of the range of 64 bits" },
        { "a = -9223372036854775809",
          "line 1: '-9223372036854775809' is out of the range of 64 bits" },
        { "a = 0x8000000000000000",
          "line 1: '0x8000000000000000' is out of the range of 64 bits" },
        { "a = 0x", "line 1: '0x' is no number: a digit or underscore is "
                    "misplaced" },
        { "a = 0x_1", "line 1: '0x_1' is no number: a digit or underscore is "
                      "misplaced" },
        { "a = 0xg", "line 1: '0xg' is no number: a digit or underscore is "
                     "misplaced" },
        { "a = 0o8", "line 1: '0o8' is no number: a digit or underscore is "
                     "misplaced" },
        { "a = 0b2", "line 1: '0b2' is no number: a digit or underscore is "
                     "misplaced" },
        { "a = 1x0", "line 1: '1x0' is no number" },
        { "a = +0x1", "line 1: '+0x1' " NO_NUMBER },
        { "a = 0X1", "line 1: '0X1' " NO_NUMBER },
        { "a = .5", "line 1: '.5' is no value: text needs quotes" },
        { "a = 5.", "line 1: '5.' is no number: a point needs digits on both "
                    "sides" },
        { "a = 5.e1", "line 1: '5.e1' is no number: a point needs digits on "
                      "both sides" },
        { "a = 1._5", "line 1: '1._5' is no number: a point needs digits on "
                      "both sides" },
        { "a = 1_.5", "line 1: '1_.5' " MISPLACED },
        { "a = 03.1", "line 1: '03.1' is no number: a leading zero is not "
                      "allowed" },
        { "a = 1e", "line 1: '1e' is no number: the exponent has no digits" },
        { "a = 1e_1",
          "line 1: '1e_1' is no number: the exponent has no digits" },
        { "a = 1e1.5", "line 1: '1e1.5' " NO_NUMBER },
        { "a = 1.2.3", "line 1: '1.2.3' " NO_NUMBER },
        { "a = Inf", "line 1: 'Inf' is no value: text needs quotes" },
        { "a = NaN", "line 1: 'NaN' is no value: text needs quotes" },
        { "a = infinity", "line 1: 'infinity' is no value: text needs quotes" },
        { "a = +true", "line 1: '+true' " MISPLACED },
        { "a = truer", "line 1: 'truer' is no value: text needs quotes" },
    };

    INVALID_ALL(documents);
}

static void dates_are_kept_as_text(void)
{
    static const struct document documents[] = {
        { "a = true\nb = false", "{\"a\":true \"b\":false}" },
        { "a = 1979-05-27T07:32:00Z", "{\"a\":@1979-05-27T07:32:00Z}" },
        { "a = 1979-05-27T00:32:00-07:00",
          "{\"a\":@1979-05-27T00:32:00-07:00}" },
        { "a = 1979-05-27T00:32:00.999999+23:59",
          "{\"a\":@1979-05-27T00:32:00.999999+23:59}" },
        { "a = 1979-05-27 07:32:00Z", "{\"a\":@1979-05-27 07:32:00Z}" },
        { "a = 1979-05-27t07:32:00z", "{\"a\":@1979-05-27t07:32:00z}" },
        { "a = 1979-05-27T07:32:00", "{\"a\":@1979-05-27T07:32:00}" },
        { "a = 1979-05-27 07:32:00.5", "{\"a\":@1979-05-27 07:32:00.5}" },
        { "a = 1979-05-27", "{\"a\":@1979-05-27}" },
        { "a = 1979-05-27 # day", "{\"a\":@1979-05-27}" },
        { "a = 07:32:00", "{\"a\":@07:32:00}" },
        { "a = 00:00:00.000001", "{\"a\":@00:00:00.000001}" },
        { "a = 2000-02-29", "{\"a\":@2000-02-29}" },
        { "a = 2016-12-31T23:59:60Z", "{\"a\":@2016-12-31T23:59:60Z}" },
    };

    VALID_ALL(documents);
}

static void wrong_dates_are_refused(void)
{
    static const struct document documents[] = {
        { "a = 1979-13-01", "line 1: '1979-13-01' is no day of the calendar" },
        { "a = 1979-00-01", "line 1: '1979-00-01' is no day of the calendar" },
        { "a = 1979-04-31", "line 1: '1979-04-31' is no day of the calendar" },
        { "a = 1979-01-00", "line 1: '1979-01-00' is no day of the calendar" },
        { "a = 1900-02-29", "line 1: '1900-02-29' is no day of the calendar" },
        { "a = 2001-02-29", "line 1: '2001-02-29' is no day of the calendar" },
        { "a = 1979-5-27",
          "line 1: '1979-5-27' is no date: it must be YYYY-MM-DD" },
        { "a = 1979-05",
          "line 1: '1979-05' is no date: it must be YYYY-MM-DD" },
        { "a = 24:00:00", "line 1: '24:00:00' is no time of day: it must be "
                          "HH:MM:SS, with a fraction or not" },
        { "a = 07:60:00", "line 1: '07:60:00' is no time of day: it must be "
                          "HH:MM:SS, with a fraction or not" },
        { "a = 07:00:61", "line 1: '07:00:61' is no time of day: it must be "
                          "HH:MM:SS, with a fraction or not" },
        { "a = 07:32", "line 1: '07:32' is no time of day: it must be "
                       "HH:MM:SS, with a fraction or not" },
        { "a = 1979-05-27T07:32",
          "line 1: '1979-05-27T07:32' is no time of day: it must be HH:MM:SS, "
          "with a fraction or not" },
        { "a = 1979-05-27T", "line 1: '1979-05-27T' is no time of day: it must "
                             "be HH:MM:SS, with a fraction or not" },
        { "a = 07:32:00.", "line 1: '07:32:00.' is no date and time" },
        { "a = 07:32:00Z", "line 1: '07:32:00Z' is no date and time" },
        { "a = 1979-05-27T07:32:00+24:00",
          "line 1: '1979-05-27T07:32:00+24:00' is no date and time" },
        { "a = 1979-05-27T07:32:00+01",
          "line 1: '1979-05-27T07:32:00+01' is no date and time" },
        { "a = 1979-05-27X07:32:00Z",
          "line 1: '1979-05-27X07:32:00Z' is no date and time" },
        { "a = 1979-05-27  07:32:00Z",
          "line 1: the line must end here, found '07:32:00Z'" },
        { "a = 1979-05-27Z", "line 1: '1979-05-27Z' is no date and time" },
    };

    INVALID_ALL(documents);
}

static void arrays_hold_anything(void)
{
    static const struct document documents[] = {
        { "a = []", "{\"a\":[]}" },
        { "a = [1, 2, 3]", "{\"a\":[1 2 3]}" },
        { "a = [1,2,]", "{\"a\":[1 2]}" },
        { "a = [\n  1, # one\n\n  2 # two\n  ,\n]", "{\"a\":[1 2]}" },
        { "a = [[1], [\"x\", 2.5], []]", "{\"a\":[[1] [\"x\" f2.5] []]}" },
        { "a = [{b = 1}, {}, 1979-05-27]",
          "{\"a\":[{\"b\":1} {} @1979-05-27]}" },
        { "a = [\"\"\"x\ny\"\"\", 1]", "{\"a\":[\"x<0a>y\" 1]}" },
    };

    VALID_ALL(documents);
}

static void inline_tables_stand_on_one_line(void)
{
    static const struct document documents[] = {
        { "a = {}", "{\"a\":{}}" },
        { "a = { }", "{\"a\":{}}" },
        { "a = { b = 1, \"c d\" = 'x' }", "{\"a\":{\"b\":1 \"c d\":\"x\"}}" },
        { "a = {b.c = 1, b.d = 2}", "{\"a\":{\"b\":{\"c\":1 \"d\":2}}}" },
        { "a = {b = {c = {}}}", "{\"a\":{\"b\":{\"c\":{}}}}" },
        { "a = {b = [\n1,\n2\n], c = 3}", "{\"a\":{\"b\":[1 2] \"c\":3}}" },
        { "a = {b = \"\"\"x\ny\"\"\"}", "{\"a\":{\"b\":\"x<0a>y\"}}" },
        { "a.b = {c = 1}\na.d = 2", "{\"a\":{\"b\":{\"c\":1} \"d\":2}}" },
    };

    VALID_ALL(documents);
}

static void wrong_arrays_and_inline_tables_are_refused(void)
{
#define ONE_LINE                                                               \
    "',' or '}' is missing in an inline table, which must stand on one line"
#define NO_KEY "a key is missing: it must be A-Z a-z 0-9 _ - or stand in quotes"
    static const struct document documents[] = {
        { "a = [1 2]", "line 1: ',' or ']' is missing in the array that begins "
                       "in line 1" },
        { "a = [\n1,\n2", "line 3: ',' or ']' is missing in the array that "
                          "begins in line 1" },
        { "a = [1,,2]", "line 1: a value is missing" },
        { "a = [,]", "line 1: a value is missing" },
        { "a = [", "line 1: a value is missing" },
        { "a = [1", "line 1: ',' or ']' is missing in the array that begins in "
                    "line 1" },
        { "a = [1]]", "line 1: the line must end here, found ']'" },
        { "a = {b = 1,}", "line 1: " NO_KEY },
        { "a = {,}", "line 1: " NO_KEY },
        { "a = {b = 1 c = 2}", "line 1: " ONE_LINE },
        { "a = {b = 1\n}", "line 1: " ONE_LINE },
        { "a = {\nb = 1}", "line 1: " NO_KEY },
        { "a = {b = 1, # why\nc = 2}", "line 1: " NO_KEY },
        { "a = {b", "line 1: '=' is missing behind the key 'b'" },
        { "a = {b = 1", "line 1: " ONE_LINE },
        { "a = {b = 1, b = 2}", "line 1: 'b' is defined already, in line 1" },
        { "a = {b = {}, b.c = 1}", "line 1: nothing can be added to 'b', which "
                                   "is a table of line 1" },
        { "a = {b.c = 1, b = 2}", "line 1: 'b' is defined already, in line 1" },
        { "a = {}\na.b = 1", "line 2: nothing can be added to 'a', which is a "
                             "table of line 1" },
        { "a = {b.c = 1}\na.b.d = 1", "line 2: nothing can be added to 'a', "
                                      "which is a table of line 1" },
        { "a = {}\n[a]", "line 2: 'a' is defined already, in line 1" },
        { "a = {b = {}}\n[a.b]", "line 2: nothing can be added to 'a', which "
                                 "is a table of line 1" },
        { "a = {}\n[a.b]", "line 2: nothing can be added to 'a', which is a "
                           "table of line 1" },
        { "a = []\n[[a]]", "line 2: 'a' is defined already, in line 1" },
        { "a = [{}]\n[a.b]", "line 2: nothing can be added to 'a', which is an "
                             "array of line 1" },
        { "a = [{}]\na.b = 1", "line 2: nothing can be added to 'a', which is "
                               "an array of line 1" },
    };

    INVALID_ALL(documents);
}

static void tables_open_in_any_order(void)
{
    static const struct document documents[] = {
        { "[a]", "{\"a\":{}}" },
        { "[a]\nb = 1\n[c]\nd = 2", "{\"a\":{\"b\":1} \"c\":{\"d\":2}}" },
        { "[a.b.c]\nx = 1\n[a]\ny = 2",
          "{\"a\":{\"b\":{\"c\":{\"x\":1}} \"y\":2}}" },
        { "[a.b]\n[x]\n[a.c]", "{\"a\":{\"b\":{} \"c\":{}} \"x\":{}}" },
        { "[a.\"b.c\".'d']", "{\"a\":{\"b.c\":{\"d\":{}}}}" },
        { "[\"\"]\n[a.\"\"]", "{\"\":{} \"a\":{\"\":{}}}" },
        { "[a]\nb.c = 1\n[a.b.d]\ne = 2",
          "{\"a\":{\"b\":{\"c\":1 \"d\":{\"e\":2}}}}" },
        { "x = 1\n[a]\nx = 2", "{\"x\":1 \"a\":{\"x\":2}}" },
        { "[a.b.c]\n[a]\nb.d = 1", "{\"a\":{\"b\":{\"c\":{} \"d\":1}}}" },
    };

    VALID_ALL(documents);
}

static void arrays_of_tables_grow_at_the_end(void)
{
    static const struct document documents[] = {
        { "[[a]]\nx = 1\n[[a]]\n[[a]]\nx = 3",
          "{\"a\":[{\"x\":1} {} {\"x\":3}]}" },
        { "[[a]]\n[a.b]\nx = 1\n[[a]]\n[a.b]\nx = 2",
          "{\"a\":[{\"b\":{\"x\":1}} {\"b\":{\"x\":2}}]}" },
        { "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\nx = 2\n[[a]]\n[[a.b]]\nx = 3",
          "{\"a\":[{\"b\":[{\"x\":1} {\"x\":2}]} {\"b\":[{\"x\":3}]}]}" },
        { "[[a.b]]\nx = 1\n[a]\ny = 2\n[[a.b]]",
          "{\"a\":{\"b\":[{\"x\":1} {}] \"y\":2}}" },
        { "[[a]]\nb.c = 1\n[[a]]\nb.c = 2",
          "{\"a\":[{\"b\":{\"c\":1}} {\"b\":{\"c\":2}}]}" },
        { "[[ a . b ]]", "{\"a\":{\"b\":[{}]}}" },
    };

    VALID_ALL(documents);
}

static void a_table_is_defined_once(void)
{
    static const struct document documents[] = {
        { "[a]\n[a]", "line 2: 'a' is defined already, in line 1" },
        { "[a.b]\n[a.b]", "line 2: 'b' is defined already, in line 1" },
        { "[a]\n[b]\n[a]", "line 3: 'a' is defined already, in line 1" },
        { "a = 1\n[a]", "line 2: 'a' is defined already, in line 1" },
        { "a = 1\n[a.b]", "line 2: nothing can be added to 'a', which is an "
                          "integer of line 1" },
        { "[a]\nb = 1\n[a.b]", "line 3: 'b' is defined already, in line 2" },
        { "[a.b]\n[a]\nb = 1", "line 3: 'b' is defined already, in line 1" },
        { "a.b = 1\n[a]", "line 2: 'a' is defined already, in line 1" },
        { "[a]\nb.c = 1\n[a.b]", "line 3: 'b' is defined already, in line 2" },
        { "[a]\nb.c.d = 1\n[a.b.c]",
          "line 3: 'c' is defined already, in line 2" },
        { "[a.b]\nx = 1\n[a]\nb.y = 2", "line 4: nothing can be added to 'b', "
                                        "which is a table of line 1" },
        { "[a.b.c]\n[a]\nb.c.y = 2", "line 3: nothing can be added to 'c', "
                                     "which is a table of line 1" },
        { "[a.b.c]\n[a]\nb.d = 1\n[a.b]",
          "line 4: 'b' is defined already, in line 1" },
        { "[a]\n[[a]]", "line 2: 'a' is defined already, in line 1" },
        { "[[a]]\n[a]", "line 2: 'a' is defined already, in line 1" },
        { "[a.b]\n[[a]]", "line 2: 'a' is defined already, in line 1" },
        { "[[a]]\n[a.b]\n[a.b]", "line 3: 'b' is defined already, in line 2" },
        { "[[a]]\n[a.b]\n[[a.b]]",
          "line 3: 'b' is defined already, in line 2" },
        { "[[a.b]]\n[a]\nb.c = 1", "line 3: nothing can be added to 'b', which "
                                   "is an array of line 1" },
    };

    INVALID_ALL(documents);
}

static void wrong_headers_are_refused(void)
{
#define UNCLOSED(what) "line 1: '" what "' is missing behind the table's name"
    static const struct document documents[] = {
        { "[]", "line 1: " NO_KEY },
        { "[ ]", "line 1: " NO_KEY },
        { "[[]]", "line 1: " NO_KEY },
        { "[a", UNCLOSED("]") },
        { "[a\n]", UNCLOSED("]") },
        { "[a b]", UNCLOSED("]") },
        { "[a.]", "line 1: " NO_KEY },
        { "[.a]", "line 1: " NO_KEY },
        { "[a]]", "line 1: the line must end here, found ']'" },
        { "[[a]", UNCLOSED("]]") },
        { "[[a] ]", UNCLOSED("]]") },
        { "[ [a]]", "line 1: " NO_KEY },
        { "[a] = 1", "line 1: the line must end here, found '= 1'" },
        { "[a=1]", UNCLOSED("]") },
        { "[\"a\nb\"]", "line 1: the string is not closed" },
    };

    INVALID_ALL(documents);
}

static void a_nul_byte_is_refused_everywhere(void)
{
    check_invalid("a = 1\0", 6, "line 1: control character 0x00");
    check_invalid("# \0", 3, "line 1: control character 0x00 in a comment");
    check_invalid("a = \"\0\"", 7,
                  "line 1: control character 0x00 in a string");
}

/* "a=[[…1…]]" with so many brackets on each side. */
static void nest(char *out, size_t depth)
{
    memcpy(out, "a=", 2);
    memset(out + 2, '[', depth);
    out[2 + depth] = '1';
    memset(out + 3 + depth, ']', depth);
    out[3 + 2 * depth] = '\0';
}

static void nesting_ends_at_sixty_four(void)
{
    char text[300];
    size_t i;
    struct jz__toml toml = JZ__TOML_INIT;

    nest(text, 64);
    CHECK_INT(jz__toml_parse(&toml, text, strlen(text), NULL), JZ_OK);
    jz__toml_finish(&toml);
    nest(text, 65);
    check_invalid(text, strlen(text),
                  "line 1: arrays and tables are nested more than 64 deep");
    for (i = 0; i < 65; i++) {
        text[2 * i] = 'a';
        text[2 * i + 1] = '.';
    }
    memcpy(text + 129, "=1", 3);
    check_invalid(text, strlen(text), "line 1: a key of more than 64 parts");
    memcpy(text + 127, "=1", 3);
    CHECK_INT(jz__toml_parse(&toml, text, strlen(text), NULL), JZ_OK);
    jz__toml_finish(&toml);
}

static void keys_and_values_know_their_lines(void)
{
    static const char text[] = "a = 1\n"
                               "[b]\n"
                               "c = [\n"
                               "  1,\n"
                               "  {d = 2},\n"
                               "]\n"
                               "[[e]]\n"
                               "f = '''\n"
                               "'''\n"
                               "g = 1\n";
    struct jz__toml toml = JZ__TOML_INIT;
    const struct jz__toml_value *c;
    const struct jz__toml_value *e;

    CHECK_INT(jz__toml_parse(&toml, text, strlen(text), NULL), JZ_OK);
    CHECK_INT(jz__toml_get(toml.root, "a")->key_line, 1);
    CHECK_INT(jz__toml_get(toml.root, "b")->key_line, 2);
    c = jz__toml_get(jz__toml_get(toml.root, "b"), "c");
    CHECK_INT(c->line, 3);
    CHECK_INT(c->first->line, 4);
    CHECK_INT(c->last->line, 5);
    CHECK_INT(c->count, 2);
    CHECK_INT(jz__toml_get(c->last, "d")->key_line, 5);
    e = jz__toml_get(toml.root, "e");
    CHECK_INT(e->first->line, 7);
    CHECK_INT(jz__toml_get(e->first, "f")->line, 8);
    CHECK_INT(jz__toml_get(e->first, "g")->key_line, 10);
    CHECK(jz__toml_get(e, "g") == NULL);
    CHECK(jz__toml_get(NULL, "g") == NULL);
    jz__toml_finish(&toml);
}

/* A pair from its key to the end of its value, or a header. */
static void check_bytes(const struct jz__toml_value *value, const char *text,
                        const char *want)
{
    char got[64];

    (void)snprintf(got, sizeof(got), "%.*s", (int)(value->end - value->key_at),
                   text + value->key_at);
    CHECK_STR(got, want);
}

static void keys_and_values_know_their_bytes(void)
{
    static const char text[] = "\xEF\xBB\xBF"
                               " a = 1 # x\r\n"
                               "  b . \"c\" =\t[ 1,\n 'x' ] \n"
                               "d = { e = true , f = {} }\n"
                               " [g] # y\n"
                               "[[ h ]]\nlast = 1979-05-27";
    struct jz__toml toml = JZ__TOML_INIT;
    struct jz__error error = { 0 };
    const struct jz__toml_value *root;
    const struct jz__toml_value *at;

    if (!CHECK_INT(jz__toml_parse(&toml, text, sizeof(text) - 1, &error), 0)) {
        jz__toml_finish(&toml);
        return;
    }
    root = toml.root;
    check_bytes(jz__toml_get(root, "a"), text, "a = 1");
    at = jz__toml_get(jz__toml_get(root, "b"), "c");
    check_bytes(at, text, "b . \"c\" =\t[ 1,\n 'x' ]");
    CHECK(text[at->at] == '[');
    check_bytes(at->first, text, "1");
    check_bytes(at->last, text, "'x'");
    at = jz__toml_get(root, "d");
    check_bytes(at, text, "d = { e = true , f = {} }");
    check_bytes(at->first, text, "e = true");
    check_bytes(at->last, text, "f = {}");
    check_bytes(jz__toml_get(root, "g"), text, "[g]");
    at = jz__toml_get(root, "h")->first;
    check_bytes(at, text, "[[ h ]]");
    check_bytes(at->first, text, "last = 1979-05-27");
    jz__toml_finish(&toml);
}

static void a_hundred_thousand_keys_take_no_time(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__toml toml = JZ__TOML_INIT;
    int i;

    for (i = 0; i < 100000; i++) {
        jz__buf_printf(&text, "k%d=1\n", i);
    }
    CHECK_INT(jz__toml_parse(&toml, text.data, text.length, NULL), JZ_OK);
    CHECK_INT(toml.root->count, 100000);
    jz__toml_finish(&toml);
    jz__buf_finish(&text);
}

int main(void)
{
    TAP_RUN(layout_is_free_where_toml_says_so);
    TAP_RUN(layout_that_toml_forbids_is_refused);
    TAP_RUN(keys_are_bare_quoted_or_dotted);
    TAP_RUN(wrong_keys_are_refused);
    TAP_RUN(basic_strings_have_escapes);
    TAP_RUN(literal_strings_have_none);
    TAP_RUN(long_strings_span_lines);
    TAP_RUN(wrong_strings_are_refused);
    TAP_RUN(integers_come_in_four_bases);
    TAP_RUN(floats_have_a_point_or_an_exponent);
    TAP_RUN(nan_is_a_number_of_its_own);
    TAP_RUN(wrong_numbers_are_refused);
    TAP_RUN(dates_are_kept_as_text);
    TAP_RUN(wrong_dates_are_refused);
    TAP_RUN(arrays_hold_anything);
    TAP_RUN(inline_tables_stand_on_one_line);
    TAP_RUN(wrong_arrays_and_inline_tables_are_refused);
    TAP_RUN(tables_open_in_any_order);
    TAP_RUN(arrays_of_tables_grow_at_the_end);
    TAP_RUN(a_table_is_defined_once);
    TAP_RUN(wrong_headers_are_refused);
    TAP_RUN(a_nul_byte_is_refused_everywhere);
    TAP_RUN(nesting_ends_at_sixty_four);
    TAP_RUN(keys_and_values_know_their_lines);
    TAP_RUN(keys_and_values_know_their_bytes);
    TAP_RUN(a_hundred_thousand_keys_take_no_time);
    return tap_done();
}
