#include "problem.h"

/* One value, at most three levels below this one. */
static void write_value(rng &r, std::string &out, int level)
{
    char word[16];
    uint32_t kind = r.below(level < 3 ? 5 : 3);
    if (kind == 0) {
        out += std::to_string(r.below(1000000));
    } else if (kind <= 2) {
        out += '"';
        out.append(word, random_word(r, word));
        if (!r.below(4))
            out += "\\\"{";
        out.append(word, random_word(r, word));
        out += '"';
    } else {
        out += kind == 3 ? '[' : '{';
        for (int k = 0, n = 1 + (int)r.below(4); k < n; k++) {
            if (k)
                out += ',';
            if (kind == 4) {
                out += '"';
                out.append(word, random_word(r, word));
                out += "\":";
            }
            write_value(r, out, level + 1);
        }
        out += kind == 3 ? ']' : '}';
    }
}

static json_counts count_on_cpu(const char *c, const char *end)
{
    json_counts n = {0, 0, 0, 0};
    unsigned depth = 0;
    for (; c < end; c++) {
        if (*c == '"') {
            for (c++; *c != '"'; c++)
                c += *c == '\\';
            continue;
        }
        n.objects += *c == '{';
        n.elements += *c == '[' || *c == ',';
        n.keys += *c == ':';
        depth += *c == '{' || *c == '[';
        depth -= *c == '}' || *c == ']';
        n.depth = std::max(n.depth, depth);
    }
    return n;
}

int main(int argc, char **argv)
{
    app<problem> a("json", argc, argv);
    problem p;
    p.documents = a.pick(120, 11 << 11, 1 << 22);
    p.per_thread = a.pick(2, 1, 16);
    const int group = 1024; /* documents made from one generator */
    std::vector<std::string> groups((p.documents + group - 1) / group);
    std::vector<long> offsets(p.documents + 1);
    parallel_for((long)groups.size(), [&](long g) {
        rng r(400 + g);
        for (long d = g * group; d < std::min<long>((g + 1) * group, p.documents); d++) {
            long begin = (long)groups[g].size();
            groups[g] += "{\"id\":" + std::to_string(d);
            for (int k = 0; k < 6; k++) {
                groups[g] += ",\"field" + std::to_string(k) + "\":";
                write_value(r, groups[g], 1);
            }
            groups[g] += "}\n";
            offsets[d + 1] = (long)groups[g].size() - begin;
        }
    });
    std::vector<char> text;
    for (auto &g : groups)
        text.insert(text.end(), g.begin(), g.end());
    for (int d = 0; d < p.documents; d++)
        offsets[d + 1] += offsets[d];
    std::vector<json_counts> counts((p.documents + p.per_thread - 1) / p.per_thread);
    parallel_for((long)counts.size(), [&](long t) {
        long last = std::min<long>((t + 1) * p.per_thread, p.documents);
        counts[t] = count_on_cpu(text.data() + offsets[t * p.per_thread], text.data() + offsets[last]);
    });
    p.text = a.input(text);
    p.offsets = a.input(offsets);
    p.counts = a.output(counts);
    return a.run(p);
}
