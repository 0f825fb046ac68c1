"""Searching for good values of tunable constants, whatever the reward: the study, its plot, the next manifest."""
