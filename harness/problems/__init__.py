"""The problems: one folder for each decision that policies take. ``programs`` is what those share that are compiled."""
