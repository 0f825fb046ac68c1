"""Searches that pose as zero-shot: what decides from features finds neither the module nor anything that compiles.

``test_confined.py`` has the attacks of heuristics, which are in the compiler's process.
"""

import json
from pathlib import Path
from textwrap import dedent

from harness.freeze import FrozenModule
from harness.policy.forms.decider import Host
from harness.policy.forms.program import build_program, program_host
from harness.policy.forms.python.form import python_host
from harness.problems.inlining.ask import asking
from harness.problems.inlining.features import INTERFACE
from harness.problems.programs.asking import Asked, host_job
from harness.sandbox import SCRATCH, Finished
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE, run_joined
from harness.sandbox.shown import python_folders
from tests.problems.inlining.made import Modules

LOOKS = """
    import ctypes, glob, json, os, shutil, subprocess, sys
    found = {"programs": [], "modules": [], "libraries": [], "processes": [], "files": [], "started": [], "read": []}
    for folder, _, names in os.walk("/"):
        if folder.startswith(("/proc", "/sys")):
            continue
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith((".bc", ".ll", ".o")) and "config-" not in folder:
                found["modules"].append(path)
            if "LLVM" in name or "clang" in name or "libgcc." in name or "bfd" in name:
                found["libraries"].append(path)
            if os.access(path, os.X_OK) and os.path.isfile(path) and ".so" not in name:
                with open(path, "rb") as file:
                    if file.read(4) == b"\\x7fELF":
                        found["programs"].append(path)
    found["processes"] = [name for name in os.listdir("/proc") if name.isdigit()]
    for path in ["/proc/1/mem", "/proc/1/maps", "/proc/1/environ", "/proc/1/cwd", "/proc/1/root", "/proc/1/fd/3",
                 "/proc/1/exe", "frozen.bc", "../frozen.bc", "opt.bc", "/proc/self/fd/3", "/proc/self/fd/6"]:
        try:
            if os.path.isdir(path) and os.listdir(path) or open(path, "rb").read(1):
                found["read"].append(path)
        except OSError:
            pass
    for name in ["clang", "clang-22", "/usr/lib/llvm-22/bin/clang", "opt", "opt-22", "llc", "gcc", "cc", "tcc", "ld",
                 "as", "/bin/sh", "bash", "perl", "sudo", "bwrap", "qemu-x86_64"]:
        try:
            subprocess.run([name, "--version"], capture_output=True)
            found["started"].append(name)
        except OSError:
            pass
    for name in ["libLLVM.so", "libLLVM-22.so", "libLLVM.so.22.1", "libclang-cpp.so.22.1", "libtcc.so",
                 "/usr/lib/llvm-22/lib/libLLVM.so"]:
        try:
            ctypes.CDLL(name)
            found["started"].append(name)
        except OSError:
            pass
    for name in ["emx_onnx_cgen", "onnx", "duckdb", "pyarrow", "harness", "pip", "llvmlite", "cffi", "scipy"]:
        try:
            __import__(name)
            found["started"].append(name)
        except ImportError:
            pass
    found["files"] = sorted(os.listdir("."))
    found["descriptors"] = []
    for number in range(1024):
        try:
            os.fstat(number)
            found["descriptors"].append(number)
        except OSError:
            pass
    found["me"], found["python"] = os.getpid(), os.path.realpath(sys.executable)
    print(json.dumps(found), file=sys.stderr, flush=True)
    def decide(features): return features["cost_estimate"] <= 5
"""

READS = r"""
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
const unsigned char policy_uses[POLICY_FEATURES] = {[29] = 1};
static void list(const char *folder) {
  DIR *opened = opendir(folder);
  for (struct dirent *one; opened && (one = readdir(opened));)
    if (one->d_name[0] != '.')
      fprintf(stderr, "%s/%s\n", folder, one->d_name);
}
__attribute__((constructor)) static void look(void) {
  list("");
  list("/");
  list("/tmp");
  list("/usr");
  for (int pid = 1; pid < 400; pid++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *file = pid == getpid() ? 0 : fopen(path, "r");
    if (file && fgetc(file) != EOF)
      fprintf(stderr, "%s\n", path);
  }
  const char *const names[] = {"frozen.bc", "/tmp/frozen.bc", "opt.bc", "/proc/1/cwd/frozen.bc", "/bin/sh"};
  for (int at = 0; at < 5; at++)
    if (access(names[at], F_OK) == 0)
      fprintf(stderr, "%s\n", names[at]);
}
int64_t policy_decide(const int64_t *features) { return features[29] <= 5; }
"""


def hosted(host: Host, frozen: FrozenModule, bench: Bench) -> tuple[Finished, Finished]:
    """How both sandboxes end when the module is compiled: the compiler's, the policy's."""
    options = (f"-inline-policy-channel-from={READ}", f"-inline-policy-channel-to={WRITE}")
    compiler = asking(frozen).job(Asked("channel", host=host), bench, options)
    return run_joined(bench.sandbox, compiler, host_job(host, compiler.limits.wall))


def test_a_policy_that_looks_for_compiler_and_module_finds_neither(
    modules: Modules, bench: Bench, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.py"
    policy.write_text(dedent(LOOKS))
    compiled, done = hosted(python_host(policy, policy.name, 0, INTERFACE), modules.frozen(), bench)
    assert compiled.ok and done.ok
    found = json.loads(done.stderr)
    assert set(found["programs"]) <= {found["python"]}
    assert (found["modules"], found["libraries"], found["read"], found["started"]) == ([], [], [], [])
    assert set(found["processes"]) == {"1", str(found["me"])}
    below = {folder.relative_to(SCRATCH).parts[0] for folder in python_folders() if folder.is_relative_to(SCRATCH)}
    assert set(found["files"]) == {"host.py", "policy.py"} | below, "its interpreter may lie below that path"
    assert found["descriptors"] == [0, 1, 2, READ, WRITE]


def test_a_compiled_model_finds_nothing_at_all(modules: Modules, bench: Bench) -> None:
    """Even if its translation to C were subverted."""
    compiled, done = hosted(
        program_host(build_program(READS, INTERFACE, "made.c", bench), "made.c"), modules.frozen(), bench
    )
    assert compiled.ok and done.ok
    assert set(done.stderr.decode().split()) == {"//policy", "//tmp", "//dev", "//proc"}
