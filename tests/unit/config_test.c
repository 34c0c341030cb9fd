/* engine/config: what is accepted, and the exact words for what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "engine/policy_registry.h"

struct cache {
    uint64_t size, line;
    uint32_t assoc, policy, hash;
    bool enabled;
};
struct clock {
    uint64_t core;
    const char *label;
    uint32_t starter;
};
struct keeper {
    uint32_t lines;
};
struct starter {
    uint32_t delay;
};

static int check_cache(const struct cfg *c, const void *values, struct err *e)
{
    const struct cache *v = values;
    if (v->size % (v->line * v->assoc))
        return cfg_fault(c, "l1.assoc", e, "not a whole number of sets"), err_hint(e, "try 4");
    return 0;
}

static const struct cfg_field cache_fields[] = {
    CFG_ROW(struct cache, size, CFG_BYTES, "", "16KiB", 1024, 1 << 20, NULL, "capacity"),
    CFG_ROW(struct cache, line, CFG_BYTES, "", "128B", 32, 256, NULL, "line"),
    CFG_ROW(struct cache, assoc, CFG_INT, "ways", "4", 1, 64, NULL, "associativity"),
    CFG_ROW(struct cache, policy, CFG_POLICY, "", "plain", 0, 0, "keeper", "what to keep"),
    CFG_ROW(struct cache, hash, CFG_ENUM, "", "linear", 0, 0, "linear xor fermi", "set hash"),
    CFG_ROW(struct cache, enabled, CFG_BOOL, "", "yes", 0, 1, NULL, "whether it is there"),
    CFG_END};
static const struct cfg_field clock_fields[] = {
    CFG_ROW(struct clock, core, CFG_FREQ, "", "1400MHz", 1000000, 10000000000, NULL, "core clock"),
    CFG_ROW(struct clock, label, CFG_TEXT, "", "none", 0, 0, NULL, "a label"),
    CFG_ROW(struct clock, starter, CFG_POLICY, "", "plain", 0, 0, "starter", "when to start"), CFG_END};
static const struct cfg_field starter_fields[] = {
    CFG_ROW(struct starter, delay, CFG_INT, "cycles", "5", 1, 100, NULL, "cycles to wait"), CFG_END};
static const struct cfg_field keeper_fields[] = {
    CFG_ROW(struct keeper, lines, CFG_INT, "lines", "8", 1, 100, NULL, "lines kept"), CFG_END};

static const struct cfg_section cache_section = {"l1", "a cache", cache_fields, sizeof(struct cache), check_cache};
static const struct cfg_section clock_section = {"clock", "clocks", clock_fields, sizeof(struct clock), NULL};
static const struct policy_info plain = {.name = "plain", .doc = "Keeps nothing."};
static const struct policy_info sticky = {
    .name = "sticky", .doc = "Keeps all.", .params = keeper_fields, .params_bytes = sizeof(struct keeper)};
static const struct policy_info *const keepers[] = {&plain, &sticky};
static const struct policy_kind keeper_kind = {"keeper", "l1.policy", "what to keep", keepers, 2};

/* Another kind with the same names: `sticky` is one mechanism in two halves, with one section of parameters. */
static const struct policy_info start_sticky = {
    .name = "sticky", .doc = "Starts late.", .params = starter_fields, .params_bytes = sizeof(struct starter)};
static const struct policy_info eager = {.name = "eager", .doc = "Starts at once."};
static const struct policy_info *const starters[] = {&plain, &start_sticky, &eager};
static const struct policy_kind starter_kind = {"starter", "clock.starter", "when to start", starters, 3};

static const struct cfg_section *const sections[] = {&cache_section, &clock_section};
static const struct policy_kind *const kinds[] = {&keeper_kind, &starter_kind};
static const struct cfg_schema schema = {sections, 2, kinds, 2};

static struct cfg *load(const char *text, struct err *e)
{
    return cfg_load_text(&schema, "m.ini", text, NULL, 0, NULL, e);
}

static void values_take_units(void **state)
{
    (void)state;
    struct err e;
    struct cfg *c = load(
        "[l1]\nsize = 32 KiB   # twice\nassoc=8 ways\nhash = xor ; better\nenabled = off\n"
        "[clock]\ncore = 1.4GHz\nlabel = two words\n",
        &e);
    assert_non_null(c);
    const struct cache *v = cfg_section(c, "l1");
    const struct clock *k = cfg_section(c, "clock");
    assert_int_equal(v->size, 32768);
    assert_int_equal(v->line, 128);
    assert_int_equal(v->assoc, 8);
    assert_int_equal(v->hash, 1);
    assert_false(v->enabled);
    assert_int_equal(k->core, 1400000000);
    assert_string_equal(k->label, "two words");
    assert_string_equal(cfg_machine(c), "m");
    cfg_free(c);
}

static void faults_are_told_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[l1]\nsise = 32KiB\n", "weir: m.ini:2: there is no key 'sise' in [l1]; did you mean 'l1.size'?\n"},
        {"\n[ll]\nsize = 32KiB\n", "weir: m.ini:3: there is no section [ll]; did you mean 'l1'?\n"},
        {"[l1]\nsize = 32\n", "weir: m.ini:2: l1.size=32: '32' has no unit; use B, KiB, MiB or GiB, as in 32KiB\n"},
        {"[l1]\nsize = 32KB\n",
         "weir: m.ini:2: l1.size=32KB: 'KB' is not a unit of memory; use B, KiB, MiB or GiB, as in 32KiB\n"},
        {"[l1]\nsize = 0.3B\n", "weir: m.ini:2: l1.size=0.3B: '0.3B' is not a whole number of bytes\n"},
        {"[l1]\nsize = 2MiB\n", "weir: m.ini:2: l1.size=2MiB: 2MiB is out of range; choose from 1KiB to 1MiB\n"},
        {"[l1]\nassoc = 65\n", "weir: m.ini:2: l1.assoc=65: 65 is out of range; choose from 1 to 64 ways\n"},
        {"[l1]\nassoc = 4.5\n", "weir: m.ini:2: l1.assoc=4.5: '4.5' is not a whole number\n"},
        {"[l1]\nassoc = 4 sets\n", "weir: m.ini:2: l1.assoc=4 sets: wrong unit 'sets'; the unit is ways\n"},
        {"[l1]\nassoc = five\n", "weir: m.ini:2: l1.assoc=five: 'five' is not a whole number\n"},
        {"[l1]\nassoc = 5\n", "weir: m.ini:2: l1.assoc=5: not a whole number of sets; try 4\n"},
        {"[l1]\nhash = md5\n",
         "weir: m.ini:2: l1.hash=md5: 'md5' is not a valid value; choose from: linear xor fermi\n"},
        {"[l1]\nenabled = maybe\n",
         "weir: m.ini:2: l1.enabled=maybe: 'maybe' is neither yes nor no; write yes or no\n"},
        {"[l1]\npolicy = glue\n",
         "weir: m.ini:2: l1.policy=glue: there is no keeper policy 'glue'; choose from: plain sticky\n"},
        {"[l1]\nassoc = 4\n\nassoc = 4\n", "weir: m.ini:4: l1.assoc is given twice, first in line 2\n"},
        {"[clock]\ncore = 700\n", "weir: m.ini:2: clock.core=700: '700' has no unit; use MHz or GHz, as in 924MHz\n"},
        {"[clock]\ncore = fast\n",
         "weir: m.ini:2: clock.core=fast: 'fast' is not a number with a unit; write it like 924MHz\n"},
        {"[sticky]\nlines = 3\n",
         "weir: m.ini:2: sticky.lines=3: parameter of the keeper policy sticky, which is not selected; "
         "select it with --with sticky or l1.policy = sticky, or remove the parameter\n"},
        {"size = 3\n", "weir: m.ini:1: 'size' precedes the first [section]; only 'base = MACHINE' may\n"},
        {"[l1]\nwhat is this\n", "weir: m.ini:2: expected '[section]' or 'key = value'\n"},
        {"base = nowhere.ini\n", "weir: nowhere.ini: cannot read: No such file or directory\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e;
        char *text = NULL;
        size_t n = 0;
        assert_null(load(cases[i].text, &e));
        FILE *f = open_memstream(&text, &n);
        err_print(&e, f);
        fclose(f);
        assert_string_equal(text, cases[i].message);
        free(text);
    }
}

static void command_line_wins_and_says_so(void **state)
{
    (void)state;
    struct err e;
    const char *set[] = {"l1.size=64KiB", "sticky.lines=9"};
    struct cfg *c = cfg_load_text(&schema, "m.ini", "[l1]\nsize = 32KiB\n", set, 2, "sticky", &e);
    assert_non_null(c);
    assert_int_equal(((const struct cache *)cfg_section(c, "l1"))->size, 65536);
    assert_int_equal(((const struct cache *)cfg_section(c, "l1"))->policy, 1);
    assert_int_equal(((const struct keeper *)cfg_policy_params(c, "keeper", 1))->lines, 9);
    cfg_free(c);

    const char *bad[] = {"l1.assoc=5", "l1.asoc=4", "size", "size=4.5KiB", "l2.size=4KiB"};
    const char *said[] = {"--set l1.assoc=5: not a whole number of sets", "--set: there is no key 'l1.asoc'",
                          "--set size: expected key=value", "--set size=4.5KiB: the key has no section",
                          "--set: there is no section 'l2'"};
    for (unsigned i = 0; i < 5; i++) {
        assert_null(cfg_load_text(&schema, "m.ini", "", &bad[i], 1, NULL, &e));
        assert_string_equal(e.msg, said[i]);
    }
}

static struct cfg *with(const char *names, const char *set, struct err *e)
{
    return cfg_load_text(&schema, "m.ini", "", set ? &set : NULL, set != NULL, names, e);
}

static void a_name_is_chosen_in_every_kind_that_has_it(void **state)
{
    (void)state;
    static const struct {
        const char *with;
        uint32_t keeper, starter;
    } cases[] = {{"sticky", 1, 1},
                 {"eager", 0, 2},
                 {"keeper=sticky", 1, 0},
                 {"starter=sticky", 0, 1},
                 {"keeper=sticky,eager", 1, 2},
                 {"eager keeper=sticky", 1, 2},
                 {"starter=eager,keeper=plain", 0, 2}};
    struct err e;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cfg *c = with(cases[i].with, NULL, &e);
        assert_non_null(c);
        assert_int_equal(((const struct cache *)cfg_section(c, "l1"))->policy, cases[i].keeper);
        assert_int_equal(((const struct clock *)cfg_section(c, "clock"))->starter, cases[i].starter);
        assert_string_equal(cfg_chosen(c, "starter"), starters[cases[i].starter]->name);
        assert_null(cfg_chosen(c, "finisher"));
        cfg_free(c);
    }
    /* The halves' parameters are one section, each accepted when its own half is chosen. */
    const char *set[] = {"sticky.lines=9", "sticky.delay=7"};
    struct cfg *c = cfg_load_text(&schema, "m.ini", "", set, 2, "sticky", &e);
    assert_non_null(c);
    assert_int_equal(((const struct keeper *)cfg_policy_params(c, "keeper", 1))->lines, 9);
    assert_int_equal(((const struct starter *)cfg_policy_params(c, "starter", 1))->delay, 7);
    cfg_free(c);
    /* What a file says of its own choice is unused beside another one; --set for it is still a mistake. */
    c = cfg_load_text(&schema, "m.ini", "[l1]\npolicy = sticky\n[sticky]\nlines = 3\n", NULL, 0, "plain", &e);
    assert_non_null(c);
    cfg_free(c);
    assert_null(
        cfg_load_text(&schema, "m.ini", "[l1]\npolicy = sticky\n[sticky]\nlines = 3\n", set, 1, "keeper=plain", &e));
    assert_null(with("keeper=sticky", "sticky.delay=7", &e));
    assert_string_equal(e.msg, "--set sticky.delay=7: parameter of the starter policy sticky, which is not selected");
    assert_null(with("sticky", "sticky.dela=7", &e));
    assert_string_equal(e.hint, "did you mean 'sticky.delay'?");
}

static void mistaken_choices_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *with, *msg, *hint;
    } cases[] = {
        {"plain,sticky", "--with: 'plain' and 'sticky' are both of kind keeper; a machine has one policy of each kind",
         "remove one, or name the kind, as in --with keeper=sticky"},
        {"sticky,eager", "--with: 'sticky' and 'eager' are both of kind starter; a machine has one policy of each kind",
         "remove one, or name the kind, as in --with starter=eager"},
        {"sticky,keeper=plain",
         "--with: 'sticky' and 'plain' are both of kind keeper; a machine has one policy of each kind",
         "remove one, or name the kind, as in --with keeper=plain"},
        {"stiky", "--with: there is no policy 'stiky'", "did you mean 'sticky'?"},
        {"keeper=eagre", "--with: there is no policy 'eagre' of kind keeper",
         "'weir list policies' shows what is built in; a plug-in's policy needs --plugin FILE.so"},
        {"starter=eagre", "--with: there is no policy 'eagre' of kind starter", "did you mean 'eager'?"},
        {"keper=sticky", "--with keper=sticky: there is no kind of policy 'keper'", "did you mean 'keeper'?"},
        {"keeper=", "--with: there is no policy '' of kind keeper",
         "'weir list policies' shows what is built in; a plug-in's policy needs --plugin FILE.so"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e;
        assert_null(with(cases[i].with, NULL, &e));
        assert_string_equal(e.msg, cases[i].msg);
        assert_string_equal(e.hint, cases[i].hint);
    }
}

struct shown {
    char text[2048];
};
static void show(void *ctx, const struct cfg_value *v)
{
    struct shown *s = ctx;
    size_t n = strlen(s->text);
    snprintf(s->text + n, sizeof s->text - n, "%s=%s (%s)\n", v->key, v->text, v->origin);
}

static void every_value_knows_its_origin(void **state)
{
    (void)state;
    struct err e;
    const char *set[] = {"clock.core=700MHz"};
    struct cfg *c = cfg_load_text(&schema, "dir/m.ini", "[l1]\n\nassoc = 8\n", set, 1, NULL, &e);
    assert_non_null(c);
    struct shown s = {""};
    cfg_each(c, show, &s);
    assert_string_equal(s.text,
                        "l1.size=16KiB (default)\nl1.line=128B (default)\nl1.assoc=8 (m.ini:3)\n"
                        "l1.policy=plain (default)\nl1.hash=linear (default)\nl1.enabled=yes (default)\n"
                        "clock.core=700MHz (command line)\nclock.label=none (default)\n"
                        "clock.starter=plain (default)\n");
    cfg_free(c);
}

static void files_inherit(void **state)
{
    (void)state;
    char dir[] = "/tmp/weir-config-XXXXXX", path[3][64];
    assert_non_null(mkdtemp(dir));
    static const char *const text[] = {"[l1]\nsize = 32KiB\nassoc = 8\n[sticky]\nlines = 4\n[clock]\nlabel = base\n",
                                       "base = a\n[l1]\nassoc = 2\n", "base = c\n"};
    static const char *const name[] = {"a.ini", "b.ini", "c.ini"};
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", dir, name[i]);
        FILE *f = fopen(path[i], "w");
        assert_non_null(f);
        fputs(text[i], f);
        fclose(f);
    }
    struct err e;
    /* The base sets parameters of a policy nobody chose: that is its own fault, not its heir's. */
    assert_null(cfg_load(&schema, path[0], NULL, 0, NULL, &e));
    struct cfg *c = cfg_load(&schema, path[1], NULL, 0, NULL, &e);
    assert_non_null(c);
    const struct cache *v = cfg_section(c, "l1");
    assert_int_equal(v->size, 32768);
    assert_int_equal(v->assoc, 2);
    assert_string_equal(((const struct clock *)cfg_section(c, "clock"))->label, "base");
    cfg_free(c);
    assert_null(cfg_load(&schema, path[2], NULL, 0, NULL, &e));
    assert_non_null(strstr(e.msg, "there is no machine 'c'"));
    for (int i = 0; i < 3; i++)
        remove(path[i]);
    remove(dir);
}

/* ---- statistics ---- */
struct counts {
    uint64_t hits, misses, peak;
};
static const struct stat_def defs[] = {STAT_ROW(struct counts, hits, "requests", "hits"),
                                       STAT_ROW(struct counts, misses, "requests", "misses"),
                                       STAT_MAXIMUM(struct counts, peak, "entries", "most"),
                                       STAT_QUOTIENT("rate", "", "c.hits", "c.hits+c.misses", "hit rate"), STAT_END};

static void statistics_add_up(void **state)
{
    (void)state;
    struct counts a = {10, 2, 7}, b = {20, 8, 5};
    struct stats *s = stats_new();
    stats_add(s, "c", defs, &a);
    stats_add(s, "c", defs, &b);
    assert_int_equal(stats_count(s), 4);
    assert_string_equal(stats_name(s, 2)->name, "c.peak");
    uint64_t early[4], late[4], diff[4];
    stats_read(s, early);
    assert_int_equal(early[0], 30);
    assert_int_equal(early[2], 7);
    a.hits += 5;
    b.misses += 15;
    b.peak = 9;
    stats_read(s, late);
    stats_delta(s, late, early, diff);
    assert_int_equal(diff[0], 5);
    assert_int_equal(diff[1], 15);
    assert_int_equal(diff[2], 9);
    assert_true(stats_value(s, diff, 3) == 0.25);
    assert_int_equal(stats_find(s, "c.misses"), 1);
    assert_int_equal(stats_find(s, "c.nothing"), -1);
    stats_free(s);
}

struct held {
    uint64_t cycles[3];
    uint64_t after;
};
static const uint64_t bounds[] = {10, 100};
static const struct stat_def held_defs[] = {
    STAT_HISTOGRAM(struct held, cycles, "held", "cycles", bounds, "how long"),
    STAT_ROW(struct held, after, "times", "behind the histogram"),
    STAT_QUOTIENT("long", "", "h.held.above_100", "h.after", "a bucket has a name"), STAT_END};

static void histograms_are_counts(void **state)
{
    (void)state;
    struct held a = {.after = 4}, b = {.after = 0};
    struct stats *s = stats_new();
    stats_add(s, "h", held_defs, &a);
    stats_add(s, "h", held_defs, &b);
    assert_int_equal(stats_count(s), 5);
    assert_string_equal(stats_name(s, 0)->name, "h.held.le_10");
    assert_string_equal(stats_name(s, 2)->name, "h.held.above_100");
    assert_int_equal(stats_name(s, 2)->base_len, strlen("h.held"));
    uint64_t early[5], late[5], diff[5];
    const uint64_t values[] = {0, 10, 11, 100, 101, UINT64_MAX};
    stats_read(s, early);
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        stat_hist_add(i % 2 ? a.cycles : b.cycles, bounds, 2, values[i]);
    stats_read(s, late);
    stats_delta(s, late, early, diff);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(diff[i], 2);
    assert_int_equal(late[3], 4);
    assert_true(stats_value(s, late, 4) == 0.5);
    stats_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_take_units),
        cmocka_unit_test(faults_are_told_exactly),
        cmocka_unit_test(command_line_wins_and_says_so),
        cmocka_unit_test(a_name_is_chosen_in_every_kind_that_has_it),
        cmocka_unit_test(mistaken_choices_are_refused),
        cmocka_unit_test(every_value_knows_its_origin),
        cmocka_unit_test(files_inherit),
        cmocka_unit_test(statistics_add_up),
        cmocka_unit_test(histograms_are_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
