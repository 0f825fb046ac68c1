/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a system: lines of a keyword and its values; '#' begins a comment.
 *
 *   title TEXT                     dielectric NUMBER     excluded 0|1|2|3     scale14 NUMBER
 *   type NAME MASS SIGMA EPSILON
 *   pair TYPE TYPE SIGMA EPSILON   instead of the mixing rule
 *   molecule NAME                  begins a molecule, with its lines
 *     atom TYPE CHARGE             atoms are numbered from 0
 *     bond I J STIFFNESS LENGTH
 *     angle I J K STIFFNESS COSINE
 *   end
 *   box X Y Z
 *   place MOLECULE COUNT           and as many lines "x y z" as the molecules have atoms
 */
#include "errors.h"
#include "system.h"

#include <algorithm>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t most_types = 64;
constexpr std::size_t largest_molecule = 1000;
constexpr std::size_t most_atoms = 200000;

class Reader {
public:
    Reader(std::istream &input, const std::string &name) : input_(input), name_(name)
    {
    }

    System read()
    {
        static const std::map<std::string, void (Reader::*)()> keywords = {
            {"title", &Reader::read_title},       {"dielectric", &Reader::read_dielectric},
            {"excluded", &Reader::read_excluded}, {"scale14", &Reader::read_scale},
            {"type", &Reader::read_type},         {"pair", &Reader::read_pair},
            {"molecule", &Reader::read_molecule}, {"box", &Reader::read_box},
            {"place", &Reader::read_place},
        };

        while (next_line()) {
            const std::string keyword = word("a keyword");
            const auto found = keywords.find(keyword);

            if (found == keywords.end())
                complain("unknown keyword '" + keyword + "'");
            (this->*found->second)();
            finish_line();
        }
        if (input_.bad())
            throw InputError(name_ + ": cannot be read");
        if (system_.box.x == 0.0)
            complain("there is no box");
        if (system_.size() < 2)
            complain("fewer than two atoms are placed");
        return std::move(system_);
    }

private:
    [[noreturn]] void complain(const std::string &what) const
    {
        throw InputError(name_ + ":" + std::to_string(line_) + ": " + what);
    }

    /* Go to the next line that has something on it. */
    bool next_line()
    {
        while (std::getline(input_, text_)) {
            line_++;
            text_.resize(std::min(text_.size(), text_.find('#')));
            if (text_.find_first_not_of(" \t\r") != std::string::npos) {
                words_.clear();
                words_.str(text_);
                return true;
            }
        }
        return false;
    }

    void finish_line()
    {
        std::string rest;

        if (words_ >> rest)
            complain("there is more on the line: '" + rest + "'");
    }

    std::string word(const char *what)
    {
        std::string value;

        if (!(words_ >> value))
            complain(std::string(what) + " expected");
        return value;
    }

    double number(const char *what, double least, double most)
    {
        double value;

        if (!(words_ >> value))
            complain(std::string(what) + " expected");
        if (!(value >= least && value <= most)) {
            std::ostringstream range;

            range << what << " is not between " << least << " and " << most;
            complain(range.str());
        }
        return value;
    }

    std::size_t whole(const char *what, std::size_t least, std::size_t most)
    {
        const double value = number(what, static_cast<double>(least), static_cast<double>(most));

        if (value != static_cast<double>(static_cast<std::size_t>(value)))
            complain(std::string(what) + " is not a whole number");
        return static_cast<std::size_t>(value);
    }

    std::size_t type_named(const std::string &name) const
    {
        for (std::size_t i = 0; i < system_.types.size(); i++)
            if (system_.types[i].name == name)
                return i;
        complain("there is no type '" + name + "'");
    }

    void read_title()
    {
        std::getline(words_ >> std::ws, system_.title);
        words_.clear();
    }

    void read_dielectric()
    {
        system_.dielectric = number("the dielectric constant", 0.01, 1000.0);
    }

    void read_excluded()
    {
        if (!system_.molecules.empty())
            complain("'excluded' comes before the first molecule");
        system_.excluded = static_cast<int>(whole("the number of bonds", 0, 3));
    }

    void read_scale()
    {
        if (!system_.molecules.empty())
            complain("'scale14' comes before the first molecule");
        system_.scale14 = number("the factor", 0.0, 1.0);
    }

    void read_type()
    {
        AtomType type{word("a name"), 0.0, 0.0, 0.0};

        for (const AtomType &other : system_.types)
            if (other.name == type.name)
                complain("a second type '" + type.name + "'");
        if (system_.types.size() == most_types)
            complain("too many types");
        type.mass = number("the mass", 0.5, 1000.0);
        type.sigma = number("sigma", 0.0, 2.0);
        type.epsilon = number("epsilon", 0.0, 1000.0);
        system_.types.push_back(type);
    }

    void read_pair()
    {
        const std::size_t first = type_named(word("a type")), second = type_named(word("a type"));
        const double sigma = number("sigma", 0.0, 2.0);

        system_.pairs[std::minmax(first, second)] = lennard_jones(sigma, number("epsilon", 0.0, 1000.0));
    }

    std::size_t member(const Molecule &molecule)
    {
        if (molecule.size() == 0)
            complain("a bond or an angle before the atoms");
        return whole("an atom of the molecule", 0, molecule.size() - 1);
    }

    void read_atom(Molecule &molecule)
    {
        if (molecule.size() == largest_molecule)
            complain("the molecule has too many atoms");
        molecule.types.push_back(type_named(word("a type")));
        molecule.charges.push_back(number("the charge", -10.0, 10.0));
    }

    void read_bond(Molecule &molecule)
    {
        Bond bond{member(molecule), member(molecule), 0.0, 0.0};

        if (bond.first == bond.second)
            complain("a bond of an atom with itself");
        bond.stiffness = number("the stiffness", 0.0, 1e7);
        bond.length = number("the length", 0.01, 2.0);
        molecule.bonds.push_back(bond);
    }

    void read_angle(Molecule &molecule)
    {
        Angle angle{member(molecule), member(molecule), member(molecule), 0.0, 0.0};

        if (angle.first == angle.middle || angle.middle == angle.last || angle.first == angle.last)
            complain("an angle needs three atoms");
        angle.stiffness = number("the stiffness", 0.0, 1e5);
        angle.cosine = number("the cosine", -1.0, 1.0);
        molecule.angles.push_back(angle);
    }

    void read_molecule()
    {
        Molecule molecule;

        molecule.name = word("a name");
        for (const Molecule &other : system_.molecules)
            if (other.name == molecule.name)
                complain("a second molecule '" + molecule.name + "'");
        for (;;) {
            finish_line();
            if (!next_line())
                complain("the molecule has no end");
            const std::string keyword = word("a keyword");

            if (keyword == "atom")
                read_atom(molecule);
            else if (keyword == "bond")
                read_bond(molecule);
            else if (keyword == "angle")
                read_angle(molecule);
            else if (keyword == "end")
                break;
            else
                complain("'" + keyword + "' is not for molecules");
        }
        if (molecule.size() == 0)
            complain("the molecule has no atoms");
        molecule.relate(system_.excluded, system_.scale14 != 1.0);
        system_.molecules.push_back(std::move(molecule));
    }

    void read_box()
    {
        system_.box = {number("the box's side", 0.5, 100.0), number("the box's side", 0.5, 100.0),
                       number("the box's side", 0.5, 100.0)};
    }

    void read_place()
    {
        const std::string name = word("a molecule");
        std::size_t kind = 0;

        while (kind < system_.molecules.size() && system_.molecules[kind].name != name)
            kind++;
        if (kind == system_.molecules.size())
            complain("there is no molecule '" + name + "'");
        const std::size_t count = whole("the count", 1, most_atoms);

        if (system_.size() + count * system_.molecules[kind].size() > most_atoms)
            complain("too many atoms");
        std::vector<Vector> positions(system_.molecules[kind].size());

        for (std::size_t i = 0; i < count; i++) {
            for (Vector &position : positions) {
                finish_line();
                if (!next_line())
                    complain("there are fewer positions than atoms");
                position = {number("x", -1000.0, 1000.0), number("y", -1000.0, 1000.0),
                            number("z", -1000.0, 1000.0)};
            }
            system_.add(kind, positions);
        }
    }

    std::istream &input_;
    std::string name_;
    System system_;
    std::string text_;
    std::istringstream words_;
    int line_ = 0;
};

} // namespace

System read_system(std::istream &input, const std::string &name)
{
    return Reader(input, name).read();
}
