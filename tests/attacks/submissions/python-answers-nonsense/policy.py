class Odd:
    def __eq__(self, other):
        while True:
            pass

    __hash__ = None


ANSWERS = iter([float("nan"), 2, "yes", None, 1 << 70, Odd(), Odd(), Odd()])


def decide(features):
    return next(ANSWERS)
