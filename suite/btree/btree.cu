/*
 * Queries of a B+ tree.
 *
 * Origin: Rodinia 3.1, b+tree. Order 256; nodes are records of 257 keys and 257 indices with a header, in an array. One
 * block of 256 threads per query: each thread compares one key of the current node with the query, the one that matches
 * writes the child's number, which the block reads back from global memory for the next level. Two kernels: find a
 * key's record (findK), and find first record and length of a range of keys (findRangeK). Input: keys 0, 1, 2, ... with
 * one in nine missing; nodes between half and three quarters full, as insertion leaves them. Original: a million keys,
 * 10000 searches and 6000 ranges of 3000 keys; "paper" is that, "small" the first 1900 searches and 1140 ranges.
 */
#include "../common/suite.h"

#include <limits.h>
#include <vector>

enum { ORDER = 256 };

struct node {
    int location;
    int index[ORDER + 1]; /* children; in a leaf, records */
    int key[ORDER + 1];   /* key[0] of an inner node is the least integer; unused keys are the greatest */
    bool leaf;
    int count;
};

__global__ void find(long height, const node *nodes, long n_nodes, const int *records, long *current, long *offset,
                     const int *keys, int *answer)
{
    int t = threadIdx.x, q = blockIdx.x;
    for (long level = 0; level < height; level++) {
        if (nodes[current[q]].key[t] <= keys[q] && nodes[current[q]].key[t + 1] > keys[q])
            if (nodes[offset[q]].index[t] < n_nodes)
                offset[q] = nodes[offset[q]].index[t];
        __syncthreads();
        if (t == 0)
            current[q] = offset[q];
        __syncthreads();
    }
    if (nodes[current[q]].key[t] == keys[q])
        answer[q] = records[nodes[current[q]].index[t]];
}

__global__ void find_range(long height, const node *nodes, long n_nodes, long *current, long *offset, long *last,
                           long *offset2, const int *start, const int *end, int *first, int *length)
{
    int t = threadIdx.x, q = blockIdx.x;
    for (long level = 0; level < height; level++) {
        if (nodes[current[q]].key[t] <= start[q] && nodes[current[q]].key[t + 1] > start[q])
            if (nodes[current[q]].index[t] < n_nodes)
                offset[q] = nodes[current[q]].index[t];
        if (nodes[last[q]].key[t] <= end[q] && nodes[last[q]].key[t + 1] > end[q])
            if (nodes[last[q]].index[t] < n_nodes)
                offset2[q] = nodes[last[q]].index[t];
        __syncthreads();
        if (t == 0) {
            current[q] = offset[q];
            last[q] = offset2[q];
        }
        __syncthreads();
    }
    if (nodes[current[q]].key[t] == start[q])
        first[q] = nodes[current[q]].index[t];
    __syncthreads();
    if (nodes[last[q]].key[t] == end[q])
        length[q] = nodes[last[q]].index[t] - first[q] + 1;
}

/* A tree over sorted keys, level by level from the leaves; numbered from the root, breadth first. */
static std::vector<node> build(const std::vector<int> &keys, long &height)
{
    struct run {
        int first, count; /* of the level below */
        int low;          /* its least key */
    };
    suite_rng r(269);
    std::vector<std::vector<run>> level;
    for (size_t n = keys.size();; n = level.back().size()) {
        std::vector<run> l;
        for (size_t i = 0; i < n;) {
            size_t take = ORDER / 2 + r.below(ORDER / 4);
            if (n - i < take + ORDER / 4) /* the rest fits into one node */
                take = n - i;
            l.push_back({(int)i, (int)take, level.empty() ? keys[i] : level.back()[i].low});
            i += take;
        }
        level.push_back(l);
        if (l.size() == 1)
            break;
    }
    height = (long)level.size() - 1;
    std::vector<node> nodes;
    for (int l = (int)level.size() - 1; l >= 0; l--) {
        int below = (int)(nodes.size() + level[l].size()); /* number of the next level's first node */
        for (const run &x : level[l]) {
            node n;
            n.location = (int)nodes.size();
            n.leaf = l == 0;
            n.count = x.count;
            for (int i = 0; i <= ORDER; i++) {
                bool used = i < x.count;
                n.index[i] = !used ? 0 : l ? below + x.first + i : x.first + i;
                n.key[i] = !used ? INT_MAX : !l ? keys[x.first + i] : i ? level[l - 1][x.first + i].low : INT_MIN;
            }
            nodes.push_back(n);
        }
    }
    return nodes;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 4096, 1000000, 1000000), searches = suite_pick(size, 60, 1900, 10000),
        ranges = suite_pick(size, 36, 1140, 6000), span = suite_pick(size, 100, 3000, 3000);
    suite_rng r(271);
    std::vector<int> keys, rank, record(n);
    for (int key = 0; (int)keys.size() < n; key++) {
        bool present = r.below(9) != 0;
        rank.push_back(present ? (int)keys.size() : -1);
        if (present)
            keys.push_back(key);
    }
    for (int i = 0; i < n; i++)
        record[i] = (int)r.below(1 << 30);
    long height;
    std::vector<node> nodes = build(keys, height);
    int greatest = keys.back();
    std::vector<int> wanted(searches), start(ranges), end(ranges);
    for (int &k : wanted)
        k = (int)r.below(greatest + 1);
    for (int q = 0; q < ranges; q++) {
        start[q] = (int)r.below(greatest - span);
        end[q] = start[q] + span;
    }

    node *d_nodes = suite_to_device(nodes.data(), nodes.size());
    int *d_record = suite_to_device(record.data(), n), most = searches > ranges ? searches : ranges;
    long *at[4];
    for (long *&p : at) {
        p = suite_device<long>(most);
        SUITE_CUDA(cudaMemset(p, 0, most * sizeof(long)));
    }
    int *d_wanted = suite_to_device(wanted.data(), searches), *d_start = suite_to_device(start.data(), ranges),
        *d_end = suite_to_device(end.data(), ranges), *d_answer = suite_device<int>(searches),
        *d_first = suite_device<int>(ranges), *d_length = suite_device<int>(ranges);
    SUITE_CUDA(cudaMemset(d_answer, 0xff, searches * sizeof(int)));
    SUITE_CUDA(cudaMemset(d_first, 0, ranges * sizeof(int)));
    SUITE_CUDA(cudaMemset(d_length, 0, ranges * sizeof(int)));
    find<<<searches, ORDER>>>(height, d_nodes, (long)nodes.size(), d_record, at[0], at[1], d_wanted, d_answer);
    SUITE_LAUNCHED();
    for (long *p : at)
        SUITE_CUDA(cudaMemset(p, 0, most * sizeof(long)));
    find_range<<<ranges, ORDER>>>(height, d_nodes, (long)nodes.size(), at[0], at[1], at[2], at[3], d_start, d_end,
                                  d_first, d_length);
    SUITE_LAUNCHED();
    std::vector<int> answer(searches), first(ranges), length(ranges), e_answer(searches), e_first(ranges),
        e_length(ranges);
    suite_to_host(answer.data(), d_answer, searches);
    suite_to_host(first.data(), d_first, ranges);
    suite_to_host(length.data(), d_length, ranges);
    for (int q = 0; q < searches; q++)
        e_answer[q] = rank[wanted[q]] < 0 ? -1 : record[rank[wanted[q]]];
    for (int q = 0; q < ranges; q++) { /* a missing start counts from record 0, a missing end leaves length 0 */
        e_first[q] = rank[start[q]] < 0 ? 0 : rank[start[q]];
        e_length[q] = rank[end[q]] < 0 ? 0 : rank[end[q]] - e_first[q] + 1;
    }
    size_t bad = suite_diff_exact("answer", answer.data(), e_answer.data(), searches) +
                 suite_diff_exact("first", first.data(), e_first.data(), ranges) +
                 suite_diff_exact("length", length.data(), e_length.data(), ranges);
    return suite_done("btree", argc, argv, bad);
}
