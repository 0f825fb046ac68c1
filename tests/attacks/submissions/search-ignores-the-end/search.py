def search(session, seed, seconds):
    while True:
        try:
            line = session.line()
            line.run(38, 6)
            line.size()
            session.propose([38, 6])
        except BaseException:
            continue
