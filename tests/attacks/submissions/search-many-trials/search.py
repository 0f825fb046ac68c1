from harness.problems.passes.search.client import BudgetSpent


def search(session, seed, seconds):
    everything = range(len(session.actions))
    try:
        while session.cpu < 20 * seconds:
            line = session.line()
            for _ in range(10):
                line.run(*everything)
            line.count()
            line.drop()
    except BudgetSpent:
        return [0]
    raise RuntimeError(f"{session.cpu:.0f} s of {seconds:g}")
