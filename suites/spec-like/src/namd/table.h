/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function of the squared distance, by cubic pieces that join with equal values and slopes. The
 * pieces are wider at larger distances, so that the leading bits of the number tell the piece.
 */
#ifndef NAMD_TABLE_H
#define NAMD_TABLE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

class RadialTable {
public:
    /* The function, and its derivative by the squared distance. */
    struct Sample {
        double value;
        double slope;
    };

    /* Over squared distances from nearest to farthest, both positive. */
    RadialTable(double nearest, double farthest, const std::function<Sample(double)> &function);

    Sample operator()(double square) const
    {
        const std::uint64_t number = number_of(square) - first_;

        if (number >= pieces_.size())
            refuse(square);
        const Piece &piece = pieces_[number];
        const double t = square - piece.start;
        return {piece.c0 + t * (piece.c1 + t * (piece.c2 + t * piece.c3)),
                piece.c1 + t * (2.0 * piece.c2 + t * (3.0 * piece.c3))};
    }

    std::size_t size() const
    {
        return pieces_.size();
    }

private:
    struct Piece {
        double start;
        double c0, c1, c2, c3;
    };

    /* Sign, exponent and seven bits of the fraction: 128 pieces from a number to its double. */
    static constexpr int shift = 52 - 7;

    static std::uint64_t number_of(double square)
    {
        std::uint64_t bits;

        std::memcpy(&bits, &square, sizeof bits);
        return bits >> shift;
    }

    static double start_of(std::uint64_t number);
    [[noreturn]] static void refuse(double square);

    std::uint64_t first_;
    std::vector<Piece> pieces_;
};

#endif
