def search(session, seed, seconds):
    for wrong in ([-1], [10**9], [2**40], ["lower-invoke"], [None], [38] * 1_000_000):
        try:
            session.propose(wrong)
        except Exception:
            continue
    return ["lower-invoke", -1, 10**9, 3.5]
