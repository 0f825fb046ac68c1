def decide(features):
    return hash(str(features)) & 1 == 1
