ANSWERS = iter([float('nan'), float('inf'), 'high', None])


def decide(features):
    return next(ANSWERS)
