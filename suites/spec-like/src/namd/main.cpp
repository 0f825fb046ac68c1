/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namd: molecular dynamics of molecules in a periodic box. It checks itself: forces against direct
 * sums, momentum, conservation of energy, and, where it is asked to, that time can be turned
 * round. It ends with status 1 where a check fails, with 2 where the input is wrong.
 */
#include "checks.h"
#include "errors.h"
#include "options.h"
#include "simulation.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>

namespace {

/* What runs through all of a run's output. */
class Report {
public:
    explicit Report(std::ostream &output) : output_(output)
    {
        output_ << std::fixed << std::setprecision(6);
    }

    void describe(const System &system, const Simulation &simulation)
    {
        const auto &counts = simulation.patches().counts();

        output_ << "system: " << system.title << '\n'
                << system.size() << " atoms in " << system.kind.size() << " molecules, " << system.bonds.size()
                << " bonds, " << system.angles.size() << " angles\n"
                << counts[0] << " x " << counts[1] << " x " << counts[2] << " patches\n";
    }

    void head()
    {
        for (const char *name : {"step", "bond", "angle", "lennard-jones", "charge", "kinetic", "total", "K", "bar"})
            output_ << std::setw(*name == 's' ? 6 : 16) << name;
        output_ << '\n';
    }

    void line(int step, const Simulation &simulation)
    {
        const Energies &energies = simulation.energies();

        output_ << std::setw(6) << step;
        for (double number : {energies.bond, energies.angle, energies.dispersion, energies.charge, energies.kinetic,
                              energies.total(), simulation.temperature(), simulation.pressure()})
            output_ << std::setw(16) << number;
        output_ << '\n';
    }

    /* Say how a check went, and raise Failure where it went wrong. */
    void verdict(const std::string &what, double found, double most)
    {
        output_ << what << (found <= most ? ": ok" : ": FAILED") << '\n';
        if (!(found <= most))
            throw Failure(what + " is off by " + std::to_string(found) + ", the most allowed is " +
                          std::to_string(most));
    }

    std::ostream &output()
    {
        return output_;
    }

private:
    std::ostream &output_;
};

/* Run a number of steps; the total energy must stay what it was. */
void run_steps(Simulation &simulation, const Options &options, Report &report)
{
    double least = simulation.energies().total(), most = least, kinetic = simulation.energies().kinetic;
    int samples = 1;

    report.head();
    report.line(0, simulation);
    for (int step = 1; step <= options.steps; step++) {
        const bool shown = step % options.every == 0 || step == options.steps;

        simulation.step(shown);
        if (!shown)
            continue;
        report.line(step, simulation);
        least = std::min(least, simulation.energies().total());
        most = std::max(most, simulation.energies().total());
        kinetic += simulation.energies().kinetic;
        samples++;
    }
    if (options.tolerance > 0.0)
        report.verdict("conservation of energy", (most - least) / (kinetic / samples + 1e-9), options.tolerance);
}

void simulate(const System &system, const Options &options, Report &report)
{
    Simulation simulation(system, options);

    report.describe(system, simulation);
    if (options.minimise > 0) {
        simulation.evaluate(true);
        report.head();
        report.line(0, simulation);
        const int down = simulation.minimise(options.minimise);
        report.line(down, simulation);
    }
    simulation.heat(options.temperature, options.seed);
    simulation.evaluate(true);
    if (options.numeric > 0)
        report.verdict("forces are slopes of the energy", check_numerically(simulation, options.numeric), 1e-6);
    const std::vector<Vector> beginning = simulation.positions();

    run_steps(simulation, options, report);
    if (options.reverse) {
        simulation.turn_round();
        run_steps(simulation, options, report);
        report.verdict("way back to the beginning", farthest_from(simulation, beginning), 1e-8);
    }
    if (options.check > 0)
        report.verdict("forces are direct sums", check_direct_sum(simulation, options.check), 1e-6);
    report.verdict("momentum", std::sqrt(square(simulation.momentum())), 1e-8 * static_cast<double>(system.size()));
    report.output() << "lists: " << simulation.patches().listed_normal() << " pairs and "
                    << simulation.patches().listed_modified() << " modified ones, made " << simulation.rebuilds()
                    << " times\n"
                    << "checksum " << std::hex << std::setw(16) << std::setfill('0') << checksum(simulation) << '\n';
}

System read_file(const std::string &name)
{
    std::ifstream input(name);

    if (!input)
        throw InputError("cannot open " + name);
    return read_system(input, name);
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const Options options = read_options(argc, argv);
        Report report(std::cout);

        simulate(read_file(options.file), options, report);
        return 0;
    } catch (const InputError &error) {
        std::cerr << "namd: " << error.what() << '\n';
        if (argc < 2)
            print_usage(std::cerr);
        return 2;
    } catch (const std::exception &error) {
        std::cout.flush();
        std::cerr << "namd: " << error.what() << '\n';
        return 1;
    }
}
