#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("kmeans", argc, argv);
    problem p;
    const char *dimensions = getenv("APP_DIMENSIONS");
    p.dimensions = dimensions ? std::max(1, atoi(dimensions)) : 34;
    p.per_thread = a.pick(2, 2, 4);
    p.count = a.pick(701, 11 << 12, (int)((1L << 27) / p.dimensions));
    /* Points and centers are small whole numbers, so that sums are exact in any order. */
    std::vector<float> points((size_t)p.count * p.dimensions), centers((size_t)CENTERS * p.dimensions);
    std::vector<int> nearest(p.count);
    rng r(9);
    for (auto &c : centers)
        c = (float)r.below(64);
    const long parts = 256;
    parallel_for(parts, [&](long part) {
        rng r(900 + part);
        for (long i = (long)p.count * part / parts; i < (long)p.count * (part + 1) / parts; i++) {
            float best = INFINITY;
            for (int d = 0; d < p.dimensions; d++)
                points[i * p.dimensions + d] = (float)r.below(64);
            for (int c = 0; c < CENTERS; c++) {
                float distance = 0;
                for (int d = 0; d < p.dimensions; d++) {
                    float difference = points[i * p.dimensions + d] - centers[c * p.dimensions + d];
                    distance += difference * difference;
                }
                if (distance < best) {
                    best = distance;
                    nearest[i] = c;
                }
            }
        }
    });
    p.points = a.input(points);
    p.centers = a.input(centers);
    p.nearest = a.output(nearest);
    return a.run(p);
}
