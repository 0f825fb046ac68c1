/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the arguments by a table of keywords. */
#include "options.h"

#include "errors.h"

#include <functional>
#include <map>
#include <ostream>
#include <sstream>

namespace {

struct Keyword {
    std::function<bool(Options &, std::istringstream &)> read;
    const char *meaning;
};

template <class Number> Keyword number(Number Options::*member, Number least, Number most, const char *meaning)
{
    return {[=](Options &options, std::istringstream &text) {
                return text >> options.*member && options.*member >= least && options.*member <= most;
            },
            meaning};
}

bool read_switch(Options &options, std::istringstream &text)
{
    std::string word;

    text >> word;
    options.reverse = word == "yes";
    return word == "yes" || word == "no";
}

const std::map<std::string, Keyword> keywords = {
    {"electrostatics", {[](Options &options, std::istringstream &text) {
                            return static_cast<bool>(text >> options.electrostatics);
                        },
                        "none, shifted, reaction-field or damped"}},
    {"cutoff", number(&Options::cutoff, 0.1, 10.0, "nm where nonbonded forces end")},
    {"switchdist", number(&Options::switching, 0.05, 10.0, "nm where Lennard-Jones forces begin to end")},
    {"slack", number(&Options::slack, 0.0, 5.0, "nm that pair lists reach beyond the cutoff")},
    {"damping", number(&Options::damping, 0.0, 20.0, "1/nm, of damped charges")},
    {"surroundings", number(&Options::surroundings, 1.0, 1e6, "dielectric constant of the reaction field")},
    {"minimize", number(&Options::minimise, 0, 100000, "steps down the energy, before all others")},
    {"steps", number(&Options::steps, 0, 1000000, "steps of dynamics")},
    {"timestep", number(&Options::timestep, 0.001, 100.0, "fs")},
    {"temperature", number(&Options::temperature, 0.0, 5000.0, "K, of the velocities at the beginning")},
    {"seed", number(&Options::seed, std::uint64_t{0}, std::uint64_t{1} << 62, "of the velocities")},
    {"outputenergies", number(&Options::every, 1, 1000000, "steps from one line of energies to the next")},
    {"tolerance", number(&Options::tolerance, 0.0, 10.0, "change of the total energy, in kinetic energies")},
    {"check", number(&Options::check, 0, 1000000, "atoms whose forces are calculated a second time")},
    {"numeric", number(&Options::numeric, 0, 1000000, "atoms whose forces are compared with differences")},
    {"reverse", {read_switch, "yes: go all steps back, to where they began"}},
};

} // namespace

void print_usage(std::ostream &output)
{
    output << "usage: namd [KEYWORD=VALUE]... FILE\n";
    for (const auto &[name, keyword] : keywords)
        output << "  " << name << std::string(16 - name.size(), ' ') << keyword.meaning << '\n';
}

Options read_options(int argc, char **argv)
{
    Options options;

    for (int i = 1; i < argc; i++) {
        const std::string argument = argv[i];
        const std::size_t sign = argument.find('=');

        if (sign == std::string::npos) {
            if (!options.file.empty() || argument.empty() || argument[0] == '-')
                throw InputError("a second file or an unknown option: '" + argument + "'");
            options.file = argument;
            continue;
        }
        const auto found = keywords.find(argument.substr(0, sign));

        if (found == keywords.end())
            throw InputError("unknown keyword in '" + argument + "'");
        std::istringstream text(argument.substr(sign + 1));

        if (!found->second.read(options, text) || text.peek() != std::istringstream::traits_type::eof())
            throw InputError("'" + argument + "': the value is out of range or not understood");
    }
    if (options.file.empty())
        throw InputError("no file is named");
    if (!(options.switching < options.cutoff))
        throw InputError("switchdist is not below cutoff");
    return options;
}
