def decide(features):
    with open("/proc/uptime") as file:
        now = round(float(file.read().split()[0]) * 100)
    return now % 42
