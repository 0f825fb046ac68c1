"""What the command line takes: commands, options, help and examples, and nothing of what they do.

Each module has ``add(app)``. Help must be instant: whatever a command needs is imported when it runs.
"""
