"""Scripts that were written for CompilerGym, on LLVM 22."""

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import harness.compiler_gym as compiler_gym
from harness.base.errors import UsageError
from harness.environments.compiler_gym import (
    CompilerEnv,
    CompilerEnvState,
    CompilerEnvStateReader,
    CompilerEnvStateWriter,
    leaderboard,
)
from harness.problems.passes.session import Line, SessionLost
from harness.sandbox.bench import Bench

PROGRAM = "benchmark://polybench/nussinov"
MEM2REG, SIMPLIFYCFG, INLINE = 30, 36, 13


@pytest.fixture
def env(bench: Bench) -> Iterator[CompilerEnv]:
    with compiler_gym.make("llvm-autophase-ic-v0", benchmark=PROGRAM, bench=bench) as opened:
        yield opened


def test_the_script_of_the_readme_runs() -> None:
    script = Path(__file__).with_name("readme.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "define" in done.stdout
    assert "@main(" in done.stdout


def test_rewards_of_an_episode_are_what_it_saves(env: CompilerEnv) -> None:
    assert env.reset().shape == (56,)
    start, oz = env.observation["IrInstructionCount"], env.observation["IrInstructionCountOz"]
    rewards = [env.step(action)[1] for action in (MEM2REG, SIMPLIFYCFG, INLINE, MEM2REG)]
    saved = start - env.observation.IrInstructionCount()
    assert saved > 0
    assert sum(rewards) == pytest.approx(env.episode_reward) == pytest.approx(saved / max(start - oz, 1))
    assert env.reward["IrInstructionCount"] == saved  # asked for the first time: since the episode began
    assert env.reward["IrInstructionCount"] == 0
    assert env.actions == [MEM2REG, SIMPLIFYCFG, INLINE, MEM2REG]


def test_observations_and_rewards_of_one_step_by_name(env: CompilerEnv) -> None:
    env.reset()
    before = env.observation["IrInstructionCount"]
    (text, count), (plain, over_oz), done, info = env.step(
        MEM2REG,
        observation_spaces=["Ir", "IrInstructionCount"],
        reward_spaces=["IrInstructionCount", "IrInstructionCountOz"],
    )
    assert "define" in text
    assert plain == before - count
    assert over_oz == pytest.approx(env.episode_reward)
    assert not done
    assert not info["action_had_no_effect"]
    with pytest.raises(KeyError, match="Runtime"):
        env.observation["Runtime"]


def test_a_fork_is_another_episode_from_the_same_state(env: CompilerEnv) -> None:
    env.reset()
    env.step(MEM2REG)
    with env.fork() as other:
        assert other.state == env.state
        other.step(SIMPLIFYCFG)
        assert other.state != env.state
        assert env.actions == [MEM2REG]


def test_a_session_that_is_lost_is_begun_anew(env: CompilerEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two steps, while something is looked at, or in a step: what was paid is forgotten with its passes."""
    assert env.state.reward == 0.0
    for how in ("reset", "look", "step"):
        env.reset()
        env.step(MEM2REG)
        assert env.episode_reward != 0
        assert env._session is not None
        env._session.close()
        if how == "look":
            with pytest.raises(SessionLost):
                env.observation["ObjectTextSizeBytes"]
        elif how == "step":
            answer = env.step(SIMPLIFYCFG, reward_spaces=["IrInstructionCount", "IrInstructionCountOz"])
            assert answer[1:3] == ([0.0, 0.0], True)
        assert env.reset().shape == (56,)
        assert env.episode_reward == 0 and not env.actions
        assert not env.step(MEM2REG)[2]


def test_a_program_that_there_is_not_leaves_the_one_that_was(env: CompilerEnv) -> None:
    with pytest.raises(UsageError):
        env.benchmark = "benchmark://polybench/nothing-of-the-kind"
    assert str(env.benchmark) == PROGRAM
    env.reset()


def test_states_go_through_csv_and_hold_or_do_not(env: CompilerEnv, tmp_path: Path) -> None:
    env.reset()
    env.multistep([MEM2REG, SIMPLIFYCFG])
    file = io.StringIO()
    with CompilerEnvStateWriter(file) as writer:
        writer.write_state(env.state)
        text = file.getvalue()
    assert text.splitlines()[0] == "benchmark,reward,walltime,commandline"
    (state,) = CompilerEnvStateReader(io.StringIO(text))
    assert state == env.state
    held = env.validate(state)
    assert held.okay()
    assert held.reward_validated
    assert held.benchmark_semantics_validated
    lie = CompilerEnvState(state.benchmark, state.commandline, 0.0, (state.reward or 0) + 0.5)
    assert env.validate(lie).reward_validation_failed
    nonsense = CompilerEnvState(state.benchmark, "opt -nonsense input.bc -o output.bc", 0.0, 1.0)
    assert env.validate(nonsense).actions_replay_failed
    path = tmp_path / "states.csv"
    path.write_text(text + f"{PROGRAM},0.9,1.0,{lie.commandline}\n")
    assert leaderboard.main([str(path)]) == 1


@pytest.mark.parametrize("line", ["a,b", "x,y,z,opt", "x,nan,1,opt", "x,1,inf,opt"])
def test_a_csv_that_is_none_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(UsageError, match=r"line [12]"):
        list(CompilerEnvStateReader(io.StringIO(f"benchmark,reward,walltime,commandline\n{line}\n")))


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x,1,1," + b"a" * 200_000], ids=["no text", "endless"])
def test_a_file_that_is_no_csv_is_refused_without_a_traceback(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "states.csv"
    path.write_bytes(content)
    assert leaderboard.main([str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {path}: not CSV")


def test_files_of_the_published_leaderboard_are_read_to_their_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have programs that are not here, addresses in capitals, an index; and what does not hold is in no mean."""
    path = tmp_path / "states.csv"
    rows = (
        ",benchmark,reward,walltime,commandline",
        "0,benchmark://cBench-v1/ghostscript,1.0,1.0,opt input.bc -o output.bc",
        "1,benchmark://PolyBench/nussinov,0,1.0,opt input.bc -o output.bc",
        "2,benchmark://polybench/nussinov,1000,1.0,opt input.bc -o output.bc",
        "3,benchmark://cbench-v1,1.0,1.0,opt input.bc -o output.bc",
        "4,benchmark://polybench/nussinov,1.0,1.0,opt mem2reg sroa",
        f"5,benchmark://polybench/nussinov,1.0,1.0,opt {'-mem2reg ' * 10_001}",
        f"6,benchmark://polybench/nussinov,,1.0,opt {'-mem2reg ' * 9_000}",
    )
    path.write_text("\n".join(rows) + "\n")
    assert leaderboard.main([str(path)]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert ["does not hold" in line for line in lines] == [True, False, True, True, True, True, True]
    for line, why in zip(
        lines, ("ghostscript", "", "reward is 0", "is no program", "'mem2reg'", "10001"), strict=False
    ):
        assert why in line
    assert last == "1 of 7 hold; their geometric mean is 0.0010"


@pytest.mark.parametrize("address", ["cbench-v1", "cbench-v1/", "benchmark://", "nothing/x", "../x/y"])
def test_an_address_of_no_program_is_refused(address: str, env: CompilerEnv) -> None:
    with pytest.raises(UsageError, match="is no program"):
        env.benchmark = address


@pytest.mark.parametrize("spaces", [{"reward_space": "Nope"}, {"observation_space": "Nope"}])
def test_names_of_spaces_are_checked_where_they_are_given(spaces: dict[str, str], env: CompilerEnv) -> None:
    with pytest.raises(UsageError, match="Nope"):
        compiler_gym.make("llvm-v0", benchmark=PROGRAM, **spaces)
    with pytest.raises(UsageError, match="Nope"):
        env.reset(**spaces)


def test_a_reward_holds_only_if_stock_opt_ends_at_the_same_cost(
    env: CompilerEnv, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    env.reset()
    env.step(MEM2REG)
    state = env.state
    with compiler_gym.make("llvm-v0", benchmark=PROGRAM, bench=bench) as unpaid:
        assert unpaid.validate(state).reward_validation_failed
    really = Line.count
    monkeypatch.setattr(Line, "count", lambda line: really(line) + 1)
    found = env.validate(state)
    assert found.reward_validation_failed and not found.reward_validated
    assert "by stock opt" in found.error_details


def test_a_policy_of_the_leaderboard_writes_its_states(bench: Bench, tmp_path: Path) -> None:
    def policy(env: CompilerEnv) -> None:
        env.step(MEM2REG)

    output = tmp_path / "out.csv"
    states = leaderboard.eval_llvm_instcount_policy(policy, output, benchmarks=[PROGRAM], episodes=2)
    assert list(CompilerEnvStateReader.read_paths([output])) == states
    assert [state.benchmark for state in states] == [PROGRAM] * 2
    assert states[0].reward == states[1].reward


def test_programs_are_found_under_both_names(env: CompilerEnv) -> None:
    assert "cbench-v1" in env.datasets
    assert "benchmark://cbench-v1/qsort" in set(env.datasets["cbench-v1"].benchmark_uris())
    assert env.datasets.benchmark("cbench-v1/qsort").own_name == "cbench/qsort"
    with pytest.raises(UsageError):
        env.datasets.benchmark("cbench-v1/ghostscript")


def test_a_dataset_gives_a_program_by_name_and_by_chance(env: CompilerEnv) -> None:
    dataset = env.datasets["cbench-v1"]
    assert dataset["qsort"] == dataset["benchmark://cbench-v1/qsort"] == dataset.benchmark("cbench-v1/qsort")
    drawn = {dataset.random_benchmark(np.random.default_rng(seed)).uri for seed in range(40)}
    assert len(drawn) > 1
    assert drawn <= set(dataset.benchmark_uris())
    with pytest.raises(UsageError):
        dataset["ghostscript"]


def test_a_step_takes_one_action_or_several_of_whatever_sort(env: CompilerEnv) -> None:
    env.reset()
    for one in (MEM2REG, np.int64(MEM2REG), np.array(MEM2REG)):
        env.step(one)
    for several in ([MEM2REG, INLINE], (MEM2REG,), np.array([INLINE, MEM2REG]), iter([INLINE]), []):
        env.step(several)
    assert env.actions == [*[MEM2REG] * 3, MEM2REG, INLINE, MEM2REG, INLINE, MEM2REG, INLINE]
    with pytest.raises(TypeError):
        env.step(2.7)  # type: ignore[arg-type]
