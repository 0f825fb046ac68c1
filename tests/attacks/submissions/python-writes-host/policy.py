import glob
import os
import sys

WANTED = ["@SECRET@", "@RESULTS@", "@CACHE@", "@ROOT@/suites/cbench/suite.toml", "@ROOT@/native/inline/advisor.cpp"]
WANTED += ["/usr/x", "/etc/x", "/x", "/proc/sys/kernel/core_pattern", "/proc/1/mem", "/proc/self/oom_score_adj"]
WANTED += [sys.executable, os.__file__, *glob.glob("/usr/lib/*/libc.so.6"), *glob.glob("/dev/*")]
written = []
for path in WANTED:
    if path in ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom", "/dev/ptmx"):
        continue
    for action in (lambda: open(path, "ab").close(), lambda: os.unlink(path), lambda: os.chmod(path, 0o777)):
        try:
            action()
            written.append(path)
        except OSError:
            continue
written = [path for path in written if not path.startswith(("/dev/std", "/dev/fd", "/proc/self/oom"))]
if not written:
    raise PermissionError("nothing can be written")
print(written, flush=True)


def decide(features):
    return False
