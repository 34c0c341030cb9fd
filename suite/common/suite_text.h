/* Generated text: words from a fixed vocabulary with Zipf-like frequencies, lines of uneven length, optional HTML
 * links. */
#ifndef WEIR_SUITE_TEXT_H
#define WEIR_SUITE_TEXT_H

#include "suite.h"

#include <algorithm>
#include <string>
#include <vector>

struct suite_vocabulary {
    std::vector<std::string> word;
    std::vector<uint32_t> cumulative; /* Zipf weights 1/rank, scaled to integers */

    suite_vocabulary(int n, uint64_t seed)
    {
        suite_rng r(seed);
        uint32_t sum = 0;
        for (int i = 0; i < n; i++) {
            std::string w;
            int len = 2 + (int)r.below(3) + (i > 20 ? (int)r.below(7) : 0); /* frequent words are short */
            for (int k = 0; k < len; k++)
                w += (char)('a' + r.below(26));
            word.push_back(w);
            sum += (uint32_t)(10000000 / (i + 2));
            cumulative.push_back(sum);
        }
    }
    const std::string &pick(suite_rng &r) const
    {
        uint32_t x = r.below(cumulative.back());
        size_t lo = 0, hi = cumulative.size() - 1;
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (cumulative[mid] > x)
                hi = mid;
            else
                lo = mid + 1;
        }
        return word[lo];
    }
};

/* About `bytes` of text in lines of 5 to 14 words; line_at gets the start of each line and the total length. */
static inline std::string suite_text(size_t bytes, const suite_vocabulary &v, uint64_t seed, std::vector<int> &line_at)
{
    suite_rng r(seed);
    std::string t;
    line_at.clear();
    while (t.size() < bytes) {
        line_at.push_back((int)t.size());
        int words = 5 + (int)r.below(10);
        for (int i = 0; i < words; i++) {
            t += v.pick(r);
            t += i + 1 < words ? ' ' : '\n';
        }
    }
    line_at.push_back((int)t.size());
    return t;
}

/* About `bytes` of HTML-like pages: lines of text, one in `lines_per_link` containing a link; page_at as line_at. */
static inline std::string suite_html(size_t bytes, const suite_vocabulary &v, uint32_t lines_per_link, uint64_t seed,
                                     std::vector<int> &page_at)
{
    suite_rng r(seed);
    std::string t;
    page_at.clear();
    while (t.size() < bytes) {
        page_at.push_back((int)t.size());
        for (int i = 0, lines = 2 + (int)r.below(4); i < lines; i++) {
            for (int k = 0, words = 3 + (int)r.below(8); k < words; k++)
                t += v.pick(r) + " ";
            if (!r.below(lines_per_link))
                t += "<a href=\"http://" + v.pick(r) + ".org/" + v.pick(r) + "\">" + v.pick(r) + "</a>";
            t += "\n";
        }
    }
    page_at.push_back((int)t.size());
    return t;
}

#endif
