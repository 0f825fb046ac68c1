"""Can it be trusted: this machine, suites, programs, recorded runs, and the harness itself."""
