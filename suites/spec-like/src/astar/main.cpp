/* SPDX-License-Identifier: Apache-2.0 */
/*
 * astar: shortest paths on grid maps, each found by several algorithms. The exact ones must find equal
 * costs, the others none that is lower, and every path must be one; otherwise the status is 1.
 */
#include "algorithm.h"

#include <cstdint>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace {

class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct MapFile {
    std::string name;
    std::string terrain;
};

struct Options {
    std::vector<std::string> algorithms;        /* none: all */
    bool print_paths = false;
    std::vector<MapFile> files;
};

/* Fowler, Noll and Vo's hash, of numbers a byte at a time. */
class Checksum {
public:
    void add(std::uint32_t value)
    {
        for (int i = 0; i < 4; i++) {
            value_ = (value_ ^ (value & 0xff)) * 0x100000001b3;
            value >>= 8;
        }
    }

    friend std::ostream& operator<<(std::ostream& output, const Checksum& checksum)
    {
        std::ostringstream digits;

        digits << std::hex << std::setw(16) << std::setfill('0') << checksum.value_;
        return output << digits.str();
    }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

/* An algorithm with what it has done so far. */
struct Runner {
    std::string name;
    std::unique_ptr<Algorithm> algorithm;
    long found = 0;
    std::int64_t cost = 0;
    std::int64_t steps = 0;
    Checksum paths{};
};

std::vector<std::string> split(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> parts;

    for (std::string part; std::getline(stream, part, ',');)
        parts.push_back(part);
    return parts;
}

std::string usage()
{
    std::ostringstream text;

    text << "usage: astar [-a NAME,...] [-p] [[-t even|walker|rider|swimmer] FILE...]...\n  -p  print the paths\n";
    for (const auto& [name, item] : Registry::instance().items())
        text << "  " << std::left << std::setw(14) << name << item.description << '\n';
    return text.str();
}

Options read_options(const std::vector<std::string>& words)
{
    Options options;
    std::string terrain = "even";       /* of the files that come next */

    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] == "-p") {
            options.print_paths = true;
        } else if (words[i] == "-a" || words[i] == "-t") {
            if (i + 1 == words.size())
                throw UsageError("an option needs a value after it");
            if (words[i] == "-a")
                options.algorithms = split(words[i + 1]);
            else
                terrain = words[i + 1];
            i++;
        } else if (words[i].empty() || words[i][0] == '-') {
            throw UsageError("unknown option '" + words[i] + "'");
        } else {
            options.files.push_back({words[i], terrain});
        }
    }
    if (options.files.empty())
        throw UsageError("no file");
    for (const std::string& name : options.algorithms)
        if (Registry::instance().items().count(name) == 0)
            throw UsageError("unknown algorithm '" + name + "'");
    return options;
}

std::vector<Runner> make_runners(const World& world, const Options& options)
{
    std::vector<Runner> runners;
    std::vector<std::string> names = options.algorithms;

    if (names.empty())
        for (const auto& entry : Registry::instance().items())
            names.push_back(entry.first);
    for (const std::string& name : names)
        if (auto algorithm = Registry::instance().items().at(name).factory(world))
            runners.push_back({name, std::move(algorithm)});
    if (runners.empty())
        throw UsageError("no algorithm for this terrain");
    return runners;
}

/* The moves as compass points with their numbers in a row, such as "3E 1SE". */
std::string moves(const Grid& grid, const std::vector<Cell>& cells)
{
    static const char* const names[3][3] = {{"NW", "N", "NE"}, {"W", "", "E"}, {"SW", "S", "SE"}};
    std::ostringstream text;
    int in_a_row = 0;

    for (std::size_t i = 1; i < cells.size(); i++) {
        const Cell step = cells[i] - cells[i - 1];
        const Position a = grid.position(cells[i - 1]), b = grid.position(cells[i]);

        in_a_row++;
        if (i + 1 == cells.size() || cells[i + 1] - cells[i] != step) {
            text << ' ' << in_a_row << names[b.y - a.y + 1][b.x - a.x + 1];
            in_a_row = 0;
        }
    }
    return text.str();
}

/* Find one route with all algorithms; returns what the first exact one costs, or the first one at all. */
Path find_route(const World& world, Cell from, Cell to, std::vector<Runner>& runners, bool print_paths)
{
    Path best;
    bool best_is_exact = false;

    for (Runner& runner : runners) {
        Path path = runner.algorithm->find(from, to);
        const bool is_exact = runner.algorithm->is_exact();

        check_path(world, from, to, path);
        if (is_exact && best_is_exact && path.cost != best.cost)
            throw std::logic_error(runner.name + " finds a path of another cost");
        if (best.found && (is_exact ? path.cost > best.cost : best_is_exact && path.cost < best.cost))
            throw std::logic_error(runner.name + " finds a path of an impossible cost");
        runner.found++;
        runner.cost += path.cost;
        runner.steps += static_cast<std::int64_t>(path.cells.size()) - 1;
        for (const Cell cell : path.cells)
            runner.paths.add(cell);
        if (print_paths)
            std::cout << "  " << runner.name << ' ' << path.cost << ':' << moves(world.grid(), path.cells) << '\n';
        if (!best.found || (is_exact && !best_is_exact)) {
            best = std::move(path);
            best_is_exact = is_exact;
        }
    }
    return best;
}

void run_routes(const World& world, const Scenario& scenario, std::vector<Runner>& runners, const Options& options)
{
    for (const Route& route : scenario.routes) {
        std::ostringstream line;

        line << route.from << " -> " << route.to << ": ";
        try {
            const Cell from = world.open_cell(route.from), to = world.open_cell(route.to);

            if (world.components().connected(from, to)) {
                const Path path = find_route(world, from, to, runners, options.print_paths);

                line << "cost " << path.cost << ", " << path.cells.size() - 1 << " steps";
            } else {
                line << "no path";
            }
        } catch (const RouteError& error) {
            line << error.what();
        }
        std::cout << line.str() << '\n';
    }
}

void run_file(const MapFile& file, const Options& options)
{
    const std::string& name = file.name;
    std::ifstream input(name, std::ios::binary);

    if (!input)
        throw InputError("cannot open " + name);
    const Scenario scenario = read_scenario(input, name);
    const auto terrain = make_terrain(file.terrain, scenario.grid);
    const World world(*terrain);
    std::vector<Runner> runners = make_runners(world, options);

    std::cout << name << ": " << scenario.grid.width() << " x " << scenario.grid.height() << ", " << terrain->name()
              << ", " << world.components().open_cells() << " cells open in " << world.components().count()
              << " components, the largest of " << world.components().largest_size() << '\n';
    run_routes(world, scenario, runners, options);
    for (const Runner& runner : runners) {
        const Effort& effort = runner.algorithm->effort();

        std::cout << std::left << std::setw(14) << runner.name << std::right << runner.found << " paths, cost "
                  << runner.cost << ", " << runner.steps << " steps; " << effort.expanded << " expanded, "
                  << effort.queued << " queued, " << effort.looked << " looked at; " << runner.paths << '\n';
    }
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const Options options = read_options(std::vector<std::string>(argv + 1, argv + argc));

        for (const MapFile& file : options.files)
            run_file(file, options);
        std::cout.flush();
        return std::cout ? 0 : 2;
    } catch (const UsageError& error) {
        std::cerr << "astar: " << error.what() << '\n' << usage();
    } catch (const InputError& error) {
        std::cerr << "astar: " << error.what() << '\n';
    } catch (const std::invalid_argument& error) {
        std::cerr << "astar: " << error.what() << '\n';
    } catch (const std::logic_error& error) {
        std::cout << "wrong: " << error.what() << '\n';
        return 1;
    }
    return 2;
}
