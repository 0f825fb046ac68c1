/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014). */
#ifndef NAMD_RANDOM_H
#define NAMD_RANDOM_H

#include <cstdint>

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed)
    {
    }

    std::uint64_t next()
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;

        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    /* From 0 to below 1. */
    double uniform()
    {
        return static_cast<double>(next() >> 11) / 9007199254740992.0;
    }

    /* Nearly normal, of variance 1: the sum of twelve uniform numbers. */
    double normal()
    {
        double sum = -6.0;

        for (int i = 0; i < 12; i++)
            sum += uniform();
        return sum;
    }

private:
    std::uint64_t state_;
};

#endif
