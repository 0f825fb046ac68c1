/* SPDX-License-Identifier: Apache-2.0 */
/* Even ground, and terrains whose cells have weights. */
#include "terrain.h"

#include <algorithm>
#include <array>
#include <map>

namespace {

class EvenTerrain final : public Terrain {
public:
    explicit EvenTerrain(const Grid& grid) : Terrain(grid, ".1G1S1") {}

    std::string name() const override { return "even"; }
    bool is_even() const override { return true; }
    Cost straight(Cell, Cell) const override { return straight_step; }
    Cost diagonal(Cell, Cell) const override { return diagonal_step; }
};

/* Half of a step is on either cell. */
class WeightedTerrain final : public Terrain {
public:
    WeightedTerrain(const Grid& grid, std::string name, const std::string& weights)
        : Terrain(grid, weights), name_(std::move(name))
    {
    }

    std::string name() const override { return name_; }
    bool is_even() const override { return false; }

    Cost straight(Cell from, Cell to) const override
    {
        return straight_step / 2 * (weight(from) + weight(to));
    }

    Cost diagonal(Cell from, Cell to) const override
    {
        return diagonal_step / 2 * (weight(from) + weight(to));
    }

private:
    std::string name_;
};

const std::map<std::string, std::string> movers = {
    {"walker", ".1G2S5"},
    {"rider", ".2G1S8"},
    {"swimmer", ".3G4S2W1"},
};

}  // namespace

Terrain::Terrain(const Grid& grid, const std::string& weights) : grid_(grid), weight_(grid.size())
{
    std::array<std::uint8_t, 256> by_symbol{};

    for (std::size_t i = 0; i + 1 < weights.size(); i += 2) {
        const int weight = weights[i + 1] - '0';

        by_symbol[static_cast<unsigned char>(weights[i])] = static_cast<std::uint8_t>(weight);
        lightest_ = std::min(lightest_, weight);
    }
    for (Cell cell = 0; cell < grid.size(); cell++)
        weight_[cell] = by_symbol[static_cast<unsigned char>(grid.symbol(cell))];
}

std::unique_ptr<Terrain> make_terrain(const std::string& name, const Grid& grid)
{
    if (name == "even")
        return std::make_unique<EvenTerrain>(grid);
    const auto mover = movers.find(name);
    if (mover == movers.end())
        throw std::invalid_argument("there is no terrain '" + name + "'");
    return std::make_unique<WeightedTerrain>(grid, name, mover->second);
}
