/* Prices European options stored as records: each thread takes a run of records and writes a run of price records. */
#ifndef BLACKSCHOLES_PROBLEM_H
#define BLACKSCHOLES_PROBLEM_H

#include "../common.h"

struct option_record {
    float spot, strike, years, rate, volatility;
};
struct price_record {
    float call, put;
};

struct problem {
    const option_record *options;
    long count;
    int per_thread;
    price_record *prices;
};

__host__ __device__ inline float normal_below(float x)
{
    return 0.5f * erfcf(-0.70710678f * x);
}

__host__ __device__ inline price_record price(float spot, float strike, float years, float rate, float volatility)
{
    float spread = volatility * sqrtf(years);
    float d1 = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    float discounted = strike * expf(-rate * years), n1 = normal_below(d1), n2 = normal_below(d1 - spread);
    return {spot * n1 - discounted * n2, discounted * (1 - n2) - spot * (1 - n1)};
}

#endif
