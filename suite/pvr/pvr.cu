/*
 * Page view rank: pages in the order of their view counts.
 *
 * Origin: Mars, PageViewRank (suite_mars.h has the framework). A record is a page's view count (key) and the offset of its
 * line in the log (value); the map task emits both as they are, and grouping sorts them, most views first. No reduce.
 * Input: random counts, as the original's generator. Original a million records; "paper" is 131072, cut for the limit on
 * instructions.
 */
#include "../common/suite_mars.h"

#include <algorithm>

struct ranks {
    typedef int key;
    typedef int value;
    static __device__ void count(key *, value *, mars_counter emit) { emit(sizeof(int), sizeof(int)); }
    static __device__ void map(key *k, value *v, mars_emitter emit)
    {
        int *out = (int *)emit.buffer();
        out[0] = *k;
        out[1] = *v;
        emit(out, out + 1, sizeof(int), sizeof(int));
    }
    static __device__ int compare(const key *a, const key *b) { return *a > *b ? -1 : *a < *b; }
};

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 1000, 32000, 131072), groups;
    mars_input in;
    suite_rng r(347);
    std::vector<std::pair<int, int>> expect, got;
    for (int i = 0, at = 0; i < n; i++) {
        expect.push_back({(int)(r.next() >> 33), at});
        in.add(expect.back().first, expect.back().second);
        at += 30 + (int)r.below(12); /* the length of a line */
    }
    mars_device_pairs pairs = mars_map_phase<ranks>(in);
    mars_group<ranks>(pairs, &groups);
    /* Counts descend; equal counts may come in any order, so pairs are compared after sorting both sides fully. */
    mars_pairs sorted = pairs.to_host();
    size_t bad = 0;
    for (const int4 &p : sorted.index) {
        int count, offset;
        memcpy(&count, &sorted.keys[p.x], sizeof count);
        memcpy(&offset, &sorted.values[p.z], sizeof offset);
        bad += !got.empty() && count > got.back().first;
        got.push_back({count, offset});
    }
    std::sort(expect.begin(), expect.end());
    std::sort(got.begin(), got.end());
    int different = 0;
    for (int i = 0; i < n; i++)
        different += i == 0 || expect[i].first != expect[i - 1].first;
    return suite_done("pvr", argc, argv, bad + (expect != got) + (groups != different));
}
