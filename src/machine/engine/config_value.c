/*
 * Configuration values as text: numbers with units, choices, names of policies; and the nearest name to a wrong one.
 *
 * Numbers are exact: a fraction is accepted only where the result is a whole number of the base unit (1.4GHz, 1.5KiB).
 */
#include "engine/config_value.h"

#include "base/nearest.h"
#include "base/mem.h"
#include "engine/policy_registry.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    uint64_t factor;
};
static const struct unit byte_units[] = {
    {"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}, {"B", 1}, {0}};
static const struct unit freq_units[] = {{"GHz", 1000000000}, {"MHz", 1000000}, {"kHz", 1000}, {"Hz", 1}, {0}};

static int format_text(char *out, size_t bytes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int format_text(char *out, size_t bytes, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out, bytes, fmt, ap);
    va_end(ap);
    return -1;
}

const struct policy_kind *cfg_kind(const struct cfg_schema *s, const char *name)
{
    for (unsigned i = 0; i < s->n_kind; i++)
        if (!strcmp(s->kind[i]->name, name))
            return s->kind[i];
    BUG("no policy kind %s in the schema", name);
}

/* Digits, perhaps with a fraction, as mantissa * 10^-decimals; *end after them. Returns -1 when there is no number. */
static int scan_number(const char *s, uint64_t *mantissa, unsigned *decimals, const char **end)
{
    *mantissa = 0;
    *decimals = 0;
    const char *p = s;
    bool digits = false, point = false;
    for (; isdigit((unsigned char)*p) || *p == '_' || (*p == '.' && !point); p++) {
        if (*p == '_')
            continue;
        if (*p == '.') {
            point = true;
            continue;
        }
        if (*mantissa > (UINT64_MAX - 9) / 10)
            return -1;
        *mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
        *decimals += point;
        digits = true;
    }
    while (*p == ' ' || *p == '\t')
        p++;
    *end = p;
    return digits ? 0 : -1;
}

static int scale(uint64_t mantissa, unsigned decimals, uint64_t factor, uint64_t *out)
{
    unsigned __int128 v = (unsigned __int128)mantissa * factor;
    for (; decimals; decimals--) {
        if (v % 10)
            return -1;
        v /= 10;
    }
    if (v > UINT64_MAX)
        return -1;
    *out = (uint64_t)v;
    return 0;
}

static int parse_scaled(const struct cfg_field *f, const char *text, const struct unit *units, const char *example,
                        uint64_t *out, char *msg, size_t msg_bytes, char *hint, size_t hint_bytes)
{
    uint64_t mantissa;
    unsigned decimals;
    const char *suffix;
    if (scan_number(text, &mantissa, &decimals, &suffix))
        return format_text(msg, msg_bytes, "'%s' is not a number with a unit", text),
               format_text(hint, hint_bytes, "write it like %s", example);
    if (!*suffix && mantissa == 0) {
        *out = 0;
        return 0;
    }
    for (const struct unit *u = units; u->name; u++)
        if (!strcmp(suffix, u->name)) {
            if (scale(mantissa, decimals, u->factor, out))
                return format_text(msg, msg_bytes, "'%s' is not a whole number of %s", text,
                                   f->type == CFG_BYTES ? "bytes" : "hertz");
            return 0;
        }
    if (!*suffix)
        format_text(msg, msg_bytes, "'%s' has no unit", text);
    else
        format_text(msg, msg_bytes, "'%s' is not a unit of %s", suffix, f->type == CFG_BYTES ? "memory" : "frequency");
    return format_text(hint, hint_bytes,
                       f->type == CFG_BYTES ? "use B, KiB, MiB or GiB, as in %s" : "use MHz or GHz, as in %s", example);
}

static void print_bound(const struct cfg_field *f, uint64_t v, char out[32])
{
    if (f->type == CFG_BYTES)
        cfg_print_bytes(out, v);
    else if (f->type == CFG_FREQ)
        cfg_print_freq(out, v);
    else
        snprintf(out, 32, "%" PRIu64, v);
}

static int check_bounds(const struct cfg_field *f, const char *text, uint64_t v, char *msg, size_t msg_bytes,
                        char *hint, size_t hint_bytes)
{
    if (v >= f->min && v <= f->max)
        return 0;
    char lo[32], hi[32];
    print_bound(f, f->min, lo);
    print_bound(f, f->max, hi);
    format_text(msg, msg_bytes, "%s is out of range", text);
    return format_text(hint, hint_bytes, "choose from %s to %s%s%s", lo, hi, *f->unit ? " " : "", f->unit);
}

static int parse_choice(const struct cfg_field *f, const char *text, uint32_t *out, char *msg, size_t msg_bytes,
                        char *hint, size_t hint_bytes)
{
    uint32_t index = 0;
    for (const char *p = f->choices; *p; index++) {
        size_t n = strcspn(p, " ");
        if (strlen(text) == n && !strncmp(text, p, n)) {
            *out = index;
            return 0;
        }
        p += n;
        p += strspn(p, " ");
    }
    format_text(msg, msg_bytes, "'%s' is not a valid value", text);
    const char *names[32];
    unsigned n = 0;
    char *save, *all = xstrdup(f->choices);
    for (char *w = strtok_r(all, " ", &save); w && n < 32; w = strtok_r(NULL, " ", &save))
        names[n++] = w;
    nearest_print_names(hint, hint_bytes, text, names, n);
    free(all);
    return -1;
}

static int parse_policy(const struct cfg_schema *s, const struct cfg_field *f, const char *text, uint32_t *out,
                        char *msg, size_t msg_bytes, char *hint, size_t hint_bytes)
{
    const struct policy_kind *k = cfg_kind(s, f->choices);
    int index = policy_find(k, text);
    if (index >= 0) {
        *out = (uint32_t)index;
        return 0;
    }
    format_text(msg, msg_bytes, "there is no %s policy '%s'", k->name, text);
    const char *names[64];
    unsigned n = 0;
    for (; n < k->n && n < 64; n++)
        names[n] = k->policy[n]->name;
    nearest_print_names(hint, hint_bytes, text, names, n);
    return -1;
}

int cfg_value_parse(const struct cfg_schema *s, const struct cfg_field *f, const char *text, void *values, char *msg,
                    size_t msg_bytes, char *hint, size_t hint_bytes)
{
    void *at = (char *)values + f->offset;
    *msg = *hint = 0;
    uint64_t v = 0;
    switch (f->type) {
    case CFG_INT: {
        uint64_t mantissa;
        unsigned decimals;
        const char *suffix;
        if (scan_number(text, &mantissa, &decimals, &suffix) || decimals)
            return format_text(msg, msg_bytes, "'%s' is not a whole number", text);
        if (*suffix && strcmp(suffix, f->unit)) {
            format_text(msg, msg_bytes, "wrong unit '%s'", suffix);
            return *f->unit ? format_text(hint, hint_bytes, "the unit is %s", f->unit)
                            : format_text(hint, hint_bytes, "it is a plain number");
        }
        if (check_bounds(f, text, mantissa, msg, msg_bytes, hint, hint_bytes))
            return -1;
        *(uint32_t *)at = (uint32_t)mantissa;
        return 0;
    }
    case CFG_BYTES:
    case CFG_FREQ:
        if (parse_scaled(f, text, f->type == CFG_BYTES ? byte_units : freq_units,
                         f->type == CFG_BYTES ? "32KiB" : "924MHz", &v, msg, msg_bytes, hint, hint_bytes) ||
            check_bounds(f, text, v, msg, msg_bytes, hint, hint_bytes))
            return -1;
        *(uint64_t *)at = v;
        return 0;
    case CFG_BOOL: {
        static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};
        for (unsigned i = 0; i < 4; i++) {
            if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
                *(bool *)at = !strcasecmp(text, yes[i]);
                return 0;
            }
        }
        format_text(msg, msg_bytes, "'%s' is neither yes nor no", text);
        return format_text(hint, hint_bytes, "write yes or no");
    }
    case CFG_ENUM:
        return parse_choice(f, text, at, msg, msg_bytes, hint, hint_bytes);
    case CFG_POLICY:
        return parse_policy(s, f, text, at, msg, msg_bytes, hint, hint_bytes);
    case CFG_TEXT:
        *(const char **)at = text;
        return 0;
    }
    BUG("config field %s has type %d", f->key, (int)f->type);
}

static void print_scaled(char out[32], uint64_t v, const struct unit *units)
{
    for (const struct unit *u = units; u->name; u++)
        if (v >= u->factor && v % u->factor == 0) {
            snprintf(out, 32, "%" PRIu64 "%s", v / u->factor, u->name);
            return;
        }
    snprintf(out, 32, "0%s", units == byte_units ? "B" : "Hz");
}
void cfg_print_bytes(char out[32], uint64_t v)
{
    print_scaled(out, v, byte_units);
}
void cfg_print_freq(char out[32], uint64_t hz)
{
    print_scaled(out, hz, freq_units);
}

void cfg_value_print(const struct cfg_schema *s, const struct cfg_field *f, const void *values, char *out, size_t bytes)
{
    const void *at = (const char *)values + f->offset;
    char number[32];
    switch (f->type) {
    case CFG_INT:
        snprintf(out, bytes, "%" PRIu32, *(const uint32_t *)at);
        return;
    case CFG_BYTES:
        cfg_print_bytes(number, *(const uint64_t *)at);
        snprintf(out, bytes, "%s", number);
        return;
    case CFG_FREQ:
        cfg_print_freq(number, *(const uint64_t *)at);
        snprintf(out, bytes, "%s", number);
        return;
    case CFG_BOOL:
        snprintf(out, bytes, "%s", *(const bool *)at ? "yes" : "no");
        return;
    case CFG_ENUM: {
        const char *p = f->choices;
        for (uint32_t i = *(const uint32_t *)at; i; i--) {
            p += strcspn(p, " ");
            p += strspn(p, " ");
        }
        snprintf(out, bytes, "%.*s", (int)strcspn(p, " "), p);
        return;
    }
    case CFG_POLICY:
        snprintf(out, bytes, "%s", cfg_kind(s, f->choices)->policy[*(const uint32_t *)at]->name);
        return;
    case CFG_TEXT:
        snprintf(out, bytes, "%s", *(const char *const *)at);
        return;
    }
}
