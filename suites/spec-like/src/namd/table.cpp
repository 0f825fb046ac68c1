/* SPDX-License-Identifier: Apache-2.0 */
/* Building a table: Hermite's cubic of the values and slopes at both ends of each piece. */
#include "table.h"

#include "errors.h"

#include <cmath>
#include <sstream>

double RadialTable::start_of(std::uint64_t number)
{
    const std::uint64_t bits = number << shift;
    double square;

    std::memcpy(&square, &bits, sizeof square);
    return square;
}

void RadialTable::refuse(double square)
{
    std::ostringstream text;

    text << "two atoms are " << std::sqrt(square) << " nm apart: out of the range of the table";
    throw Failure(text.str());
}

RadialTable::RadialTable(double nearest, double farthest, const std::function<Sample(double)> &function)
    : first_(number_of(nearest))
{
    const std::uint64_t last = number_of(farthest);
    Sample here = function(start_of(first_));

    pieces_.reserve(last - first_ + 1);
    for (std::uint64_t number = first_; number <= last; number++) {
        const double start = start_of(number), width = start_of(number + 1) - start;
        const Sample next = function(start_of(number + 1));
        const double slope = (next.value - here.value) / width;

        pieces_.push_back({start, here.value, here.slope,
                           (3.0 * slope - 2.0 * here.slope - next.slope) / width,
                           (here.slope + next.slope - 2.0 * slope) / (width * width)});
        here = next;
    }
}
