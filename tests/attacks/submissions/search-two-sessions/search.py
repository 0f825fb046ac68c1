import threading


def search(session, seed, seconds):
    other = type(session)(session._read, session._write, session.actions, 1e9, 10**9)

    def ask(one):
        while True:
            one.line().run(38)

    threads = [threading.Thread(target=ask, args=(one,), daemon=True) for one in (session, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    raise RuntimeError("both are gone")
