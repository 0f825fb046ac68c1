"""What several tools conclude of the same executables in the same time."""
