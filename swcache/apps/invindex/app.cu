#include "problem.h"

static void write_page(rng &r, std::string &out)
{
    char word[16];
    out += "<html><body>";
    for (int k = 0, n = 20 + (int)r.below(60); k < n; k++) {
        uint32_t kind = r.below(16);
        if (kind == 0) {
            out += "<a href=\"/";
            out.append(word, random_word(r, word));
            out += ".html\">";
            out.append(word, random_word(r, word));
            out += "</a> ";
        } else if (kind == 1) {
            out += "<b>";
            out.append(word, random_word(r, word));
            out += "</b> ";
        } else {
            out.append(word, random_word(r, word));
            out += ' ';
        }
    }
    out += "</body></html>\n";
}

int main(int argc, char **argv)
{
    app<problem> a("invindex", argc, argv);
    problem p;
    p.pages = a.pick(150, 11 << 11, 1 << 21);
    p.per_thread = a.pick(1, 1, 8);
    p.most = a.pick(6, 24, 80);
    const int group = 1024; /* pages made from one generator */
    std::vector<std::string> groups((p.pages + group - 1) / group);
    std::vector<long> offsets(p.pages + 1);
    parallel_for((long)groups.size(), [&](long g) {
        rng r(700 + g);
        for (long d = g * group; d < std::min<long>((g + 1) * group, p.pages); d++) {
            size_t begin = groups[g].size();
            write_page(r, groups[g]);
            offsets[d + 1] = (long)(groups[g].size() - begin);
        }
    });
    std::vector<char> html;
    for (auto &g : groups)
        html.insert(html.end(), g.begin(), g.end());
    for (int d = 0; d < p.pages; d++)
        offsets[d + 1] += offsets[d];
    int threads = (p.pages + p.per_thread - 1) / p.per_thread;
    std::vector<link_entry> links((size_t)threads * p.most);
    std::vector<int> found(threads);
    parallel_for(threads, [&](long t) {
        for (long page = t * p.per_thread; page < std::min<long>((t + 1) * p.per_thread, p.pages); page++) {
            const char *begin = html.data() + offsets[page], *end = html.data() + offsets[page + 1];
            static const char opening[] = "<a href=\"";
            for (const char *c = begin; (c = std::search(c, end, opening, opening + 9)) != end;) {
                const char *start = c + 9;
                unsigned hash = 2166136261u;
                for (c = start; *c != '"'; c++)
                    hash = (hash ^ (unsigned char)*c) * 16777619u;
                if (found[t] < p.most)
                    links[t * p.most + found[t]++] = {hash, (unsigned)page, (unsigned)(start - begin),
                                                      (unsigned)(c - start)};
            }
        }
    });
    size_t total = 0;
    for (int n : found)
        total += n;
    p.html = a.input(html);
    p.offsets = a.input(offsets);
    p.links = a.output(links);
    p.found = a.output(found);
    a.must_move(html.size() + offsets.size() * sizeof(long) + total * sizeof(link_entry) + found.size() * sizeof(int));
    return a.run(p);
}
