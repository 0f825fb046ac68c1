def decide(features):
    for slot in range(33):
        if not features["mask"][slot]:
            return slot
    return 4000
