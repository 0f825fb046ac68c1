"""Finding good values for a heuristic's tunable constants, on the train split only."""
