raise ValueError("\x1b[2J\x1b]0;owned\x07 | `x` | <b> [red] \u202e\n" * 30000)


def decide(features):
    return 42
