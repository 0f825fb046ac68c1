import os


def decide(features):
    with open("/proc/self/stat") as file:
        started = int(file.read().rsplit(")", 1)[1].split()[19])
    return (os.getpid() + started + os.urandom(1)[0]) % 2 == 1
