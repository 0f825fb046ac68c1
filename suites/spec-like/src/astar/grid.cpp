/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads maps in the format of N. R. Sturtevant, "Benchmarks for grid-based pathfinding", IEEE
 * Transactions on Computational Intelligence and AI in Games 4(2), 2012, followed by the routes:
 * "type octile", "height H", "width W", "map", H rows, "routes N", N lines of "x y x y".
 */
#include "grid.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>

namespace {

constexpr int most_side = 2046;
constexpr int most_routes = 100000;
const std::string known_symbols = ".GSWT@O";

/* The lines of a file, and where it went wrong. */
class LineReader {
public:
    LineReader(std::istream& input, const std::string& name) : input_(input), name_(name) {}

    std::string next(const char* what)
    {
        std::string line;

        if (!std::getline(input_, line))
            throw InputError(name_ + ": it ends where " + what + " should be");
        number_++;
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        return line;
    }

    [[noreturn]] void refuse(const std::string& complaint) const
    {
        throw InputError(name_ + ":" + std::to_string(number_) + ": " + complaint);
    }

    /* "word N" with N between the limits. */
    int number_after(const std::string& word, int least, int most)
    {
        std::istringstream line(next(word.c_str()));
        std::string first, rest;
        int value = 0;

        if (!(line >> first >> value) || first != word || line >> rest)
            refuse("'" + word + " NUMBER' expected");
        if (value < least || value > most)
            refuse(word + " is not between " + std::to_string(least) + " and " + std::to_string(most));
        return value;
    }

    void word(const std::string& expected)
    {
        if (next(expected.c_str()) != expected)
            refuse("'" + expected + "' expected");
    }

    bool at_end() { return input_.peek() == std::istream::traits_type::eof(); }

private:
    std::istream& input_;
    std::string name_;
    long number_ = 0;
};

std::vector<std::string> read_rows(LineReader& reader, int width, int height)
{
    std::vector<std::string> rows;

    rows.reserve(static_cast<std::size_t>(height));
    for (int y = 0; y < height; y++) {
        std::string row = reader.next("a row of the map");

        if (row.size() != static_cast<std::size_t>(width))
            reader.refuse("the row is not " + std::to_string(width) + " cells long");
        if (const std::size_t odd = row.find_first_not_of(known_symbols); odd != std::string::npos)
            reader.refuse(std::string("unknown symbol '") + row[odd] + "'");
        rows.push_back(std::move(row));
    }
    return rows;
}

Route read_route(LineReader& reader, const Grid& grid)
{
    std::istringstream line(reader.next("a route"));
    Route route{};
    std::string rest;

    if (!(line >> route.from.x >> route.from.y >> route.to.x >> route.to.y) || line >> rest)
        reader.refuse("a route is four numbers: x y x y");
    if (!grid.holds(route.from) || !grid.holds(route.to))
        reader.refuse("the route leaves the map");
    return route;
}

}  // namespace

Grid::Grid(const std::vector<std::string>& rows)
    : width_(rows.empty() ? 0 : static_cast<int>(rows.front().size())), height_(static_cast<int>(rows.size())), shift_(1)
{
    while ((1 << shift_) < width_ + 2)
        shift_++;
    symbols_.assign(static_cast<std::size_t>(height_ + 2) << shift_, '@');
    for (int y = 0; y < height_; y++)
        std::copy(rows[static_cast<std::size_t>(y)].begin(), rows[static_cast<std::size_t>(y)].end(),
                  symbols_.begin() + static_cast<std::ptrdiff_t>(cell({0, y})));
}

Scenario read_scenario(std::istream& input, const std::string& name)
{
    LineReader reader(input, name);

    reader.word("type octile");
    const int height = reader.number_after("height", 1, most_side);
    const int width = reader.number_after("width", 1, most_side);
    reader.word("map");
    Scenario scenario{Grid(read_rows(reader, width, height)), {}};
    const int count = reader.number_after("routes", 0, most_routes);
    for (int i = 0; i < count; i++)
        scenario.routes.push_back(read_route(reader, scenario.grid));
    if (!reader.at_end())
        reader.refuse("there is more after the last route");
    return scenario;
}

std::ostream& operator<<(std::ostream& output, Position position)
{
    return output << position.x << ',' << position.y;
}
