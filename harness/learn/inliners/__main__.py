"""Learn to inline: clone, imitate, gradient, evolve, adapt; and what goes with it: size, judge, export, boost, refit,
foresee.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.base import extras
from harness.base.digest import digest_bytes
from harness.base.display import observer
from harness.base.errors import UsageError
from harness.base.paths import NATIVE_SOURCES
from harness.base.vocabulary import Split, Target
from harness.learn.command import exit_code
from harness.learn.inliners import cloning, covariance, evolution, imitation, policy_gradient, size_model
from harness.learn.inliners.curve import NETWORK, checkpoint_of, words_of
from harness.learn.inliners.foresight import FORETELLERS, foresight
from harness.learn.inliners.gains import LLVM_INLINES, MARGINS, Found, Gains
from harness.learn.inliners.judge import METRICS, Judge
from harness.learn.inliners.material import CORPUS, LANGUAGES, UNITS, Material, material_of
from harness.learn.inliners.modules import Module, programs
from harness.learn.inliners.network import Network
from harness.learn.inliners.pool import Pool
from harness.policy.forms.tree import tree_json
from harness.problems.inlining.features import CALLEE_FEATURES, LLVM_FEATURES, STATIC_FEATURES
from harness.sandbox.bench import Bench, open_bench

_SUITES = ("cbench", "mibench", "polybench", "spec-like")
_FEATURES = {
    "mlgo": cloning.MLGO_FEATURES,
    "llvm": LLVM_FEATURES,
    "all": STATIC_FEATURES,
    "callee": tuple(name for name in STATIC_FEATURES if name in CALLEE_FEATURES or name in cloning.MLGO_FEATURES),
}
_FOLDS = 6


def main(words: Sequence[str] | None = None) -> int:
    """The exit code."""
    given = _parser().parse_args(words)

    def work() -> None:
        bench = open_bench()
        if given.verb == "export":
            extras.require("onnx")
            from harness.learn.inliners.export import as_onnx

            given.output.write_bytes(as_onnx(_network(given.network)).SerializeToString())
        elif given.verb == "boost":
            _boost(given, bench)
        elif given.verb == "refit":
            _refit(given, bench)
        elif given.verb == "size":
            _size(given, bench)
        elif given.verb == "foresee":
            _foresee(given, bench)
        else:
            _with_material(given, bench)

    return exit_code(work)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m harness.learn.inliners", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(name: str, about: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=about)
        made.add_argument("--jobs", type=_count, default=len(os.sched_getaffinity(0)), help="workers; one a core")
        return made

    def learner(name: str, about: str) -> argparse.ArgumentParser:
        made = verb(name, about)
        sources = (*UNITS, *_SUITES)
        made.add_argument("--from", dest="sources", action="append", choices=sources, help="corpus, unless named")
        made.add_argument("--corpus", type=Path, help="a folder that harness corpus build has written")
        made.add_argument("--judge", action="append", choices=sources, help="train splits of suites, unless named")
        made.add_argument("--subset", type=_count, help="learn from so many modules")
        made.add_argument("--metric", choices=METRICS, default=METRICS[0])
        made.add_argument("--per", choices=("site", "callee"), default="site", help="what one decision is about")
        made.add_argument("--seed", type=_seed, default=0)
        return made

    def trainer(name: str, about: str) -> argparse.ArgumentParser:
        made = learner(name, about)
        made.add_argument("--folder", type=Path, required=True, help="where the training is kept, and goes on from")
        return made

    def beginner(name: str, about: str) -> argparse.ArgumentParser:
        made = trainer(name, about)
        made.add_argument("--features", choices=_FEATURES, default="all")
        made.add_argument("--hidden", type=_widths, default=(40, 20), help="widths of layers, such as 40,20")
        return made

    size = verb("size", "fit the model of size, and write native/inline/size_model.h")
    size.add_argument("--suite", action="append", choices=_SUITES)
    size.add_argument("--output", type=Path, default=NATIVE_SOURCES / "inline" / "size_model.h")

    foresee = verb("foresee", "how much of what is best can be known before code is generated")
    foresee.add_argument("--from", dest="sources", action="append", choices=(*UNITS, *_SUITES), help="corpus, if none")
    foresee.add_argument("--corpus", type=Path, help="a folder that harness corpus build has written")
    foresee.add_argument("--subset", type=_count, default=150, help="so many modules")
    foresee.add_argument("--functions", type=_count, default=12, help="of each that are tried")
    foresee.add_argument("--seed", type=_seed, default=0)

    beginner("clone", "decide as LLVM does")

    imitate = beginner("imitate", "iterated imitation of the best")
    imitate.set_defaults(hidden=(80, 40))
    imitate.add_argument("--rounds", type=_count, default=5)
    imitate.add_argument("--modules", type=_count, default=300, help="in a round")
    imitate.add_argument("--functions", type=_count, default=12, help="of each that are tried")

    gradient = trainer("gradient", "policy gradient")
    for made in (gradient, trainer("evolve", "evolution strategies"), trainer("adapt", "CMA-ES")):
        made.add_argument("--start", type=Path, required=True, help="a network.bin, such as a clone's")
        made.add_argument("--steps", type=_count, required=True)
        made.add_argument("--modules", type=_count, default=100 if made is gradient else 4, help="in a step")
        often = 25 if made is gradient else 5
        made.add_argument("--every", type=_count, default=often, help="steps between two judgements; %(default)s")

    judge = learner("judge", "what a network is worth, module by module")
    judge.add_argument("network", type=Path)

    def fitter(name: str, about: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=about)
        made.add_argument("folder", type=Path, help="of the imitation")
        made.add_argument("output", type=Path)
        made.add_argument("--metric", choices=METRICS, default=METRICS[0])
        made.add_argument("--besides", type=Path, action="append", default=[], help="folders of other imitations")
        made.add_argument(
            "--only", choices=LANGUAGES, help="what it found of these units of the corpus; all, unless named"
        )
        made.add_argument("--corpus", type=Path, help="a folder that harness corpus build has written, for --only")
        made.add_argument("--modules", type=_count, help="learn from so many of its modules")
        made.add_argument("--margin", type=_margin, help="logits to be surer by than LLVM; chosen, if not given")
        made.add_argument("--seed", type=_seed, default=0)
        return made

    fitter("boost", "boosted trees of what an imitation has found out, as tree.json")
    refit = fitter("refit", "a network of what an imitation has found out: other features, metric, or fewer modules")
    refit.add_argument("--features", choices=_FEATURES, default="all")
    refit.add_argument("--hidden", type=_widths, default=(80, 40), help="widths of layers, such as 80,40")

    export = verbs.add_parser("export", help="write a network as model.onnx")
    export.add_argument("network", type=Path)
    export.add_argument("output", type=Path)
    return parser


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _margin(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MARGINS[-1]:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {MARGINS[-1]:g}")
    return value


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on")
    return int(text)


def _widths(text: str) -> tuple[int, ...]:
    return tuple(_count(part) for part in text.split(","))


def _network(path: Path) -> Network:
    try:
        return Network.of_data(path.read_bytes())
    except ValueError as error:
        hint = "a training leaves one as network.bin in its folder"
        raise UsageError(str(error), where=str(path), hint=hint) from None


def _boost(given: argparse.Namespace, bench: Bench) -> None:
    from harness.learn.inliners.boosting import Boosting, boosted

    gains = _gains(given, bench)
    tree, trust = boosted(gains, Boosting(margins=_margins(given), seed=given.seed))
    given.output.write_text(tree_json(tree))
    print(f"{_counted(gains)}: {len(tree.trees):,} trees; {trust}")


def _refit(given: argparse.Namespace, bench: Bench) -> None:
    if given.margin and LLVM_INLINES not in _FEATURES[given.features]:
        raise ValueError(f"--margin {given.margin:g}: of the features {given.features} none says what LLVM decides")
    gains = _gains(given, bench)
    how = imitation.Imitation(
        _FEATURES[given.features], given.metric, True, given.hidden, margins=_margins(given), seed=given.seed
    )
    network, trust = imitation.learnt(gains, how)
    given.output.write_bytes(network.as_data())
    print(f"{_counted(gains)}: {trust}")


def _margins(given: argparse.Namespace) -> tuple[float, ...]:
    return MARGINS if given.margin is None else (given.margin,)


def _gains(given: argparse.Namespace, bench: Bench) -> Gains:
    """What the imitations have found out, of as many of their modules as are wanted."""
    found = Found.none()
    for folder in (given.folder, *given.besides):
        try:
            one = Found.kept(checkpoint_of(folder))
        except ValueError as error:
            raise ValueError(f"{folder}: {error}") from None
        found = found.beside(one.within(_places(folder, given, bench)) if given.only else one)
    tried = np.random.default_rng(given.seed).permutation(np.unique(found.modules))
    if not len(tried):
        raise UsageError("no module is left to learn from", hint="leave out --only, or name other units after it")
    return found.within(tried[: given.modules]).by(given.metric)


def _places(folder: Path, given: argparse.Namespace, bench: Bench) -> NDArray[np.int64]:
    """Of the units after ``--only``, among those that the imitation has learnt from."""
    learnt_from = material_of([CORPUS], _SUITES, None, bench, given.corpus)
    if words_of(folder).get("material") != learnt_from.words():
        raise ValueError(
            f"{folder}: what an imitation has found out about another corpus than is here; --only cannot tell its units"
        )
    wanted = {one.name for one in material_of([given.only], [], None, bench, given.corpus).train}
    return np.array([place for place, one in enumerate(learnt_from.train) if one.name in wanted], np.int64)


def _counted(gains: Gains) -> str:
    return f"{len(gains.saved):,} questions about {len(np.unique(gains.modules)):,} modules"


def _size(given: argparse.Namespace, bench: Bench) -> None:
    fits = {}
    for target in Target:
        with closing(observer()) as progress, Pool(bench, given.jobs, progress) as pool:
            seen = size_model.collect(programs(given.suite or _SUITES, Split.TRAIN, target, bench), pool)
        fits[target] = size_model.fitted(seen)
        rank = size_model.rank_correlation(seen, _FOLDS, 0)
        print(f"{target}: {len(seen.bytes):,} functions; of programs left out, rank correlation {rank:.4f}")
    given.output.write_text(size_model.header(fits))


def _foresee(given: argparse.Namespace, bench: Bench) -> None:
    modules = material_of(given.sources or [CORPUS], [], given.subset, bench, given.corpus).train
    if not modules:
        raise UsageError("no module is left to look at", hint="other words after --from name others")
    with closing(observer()) as progress, Pool(bench, given.jobs, progress) as pool:
        known, compilations = foresight(modules, given.functions, given.seed, pool)
        shares = [known.found(one, given.seed) / (known.possible or 1) for one in range(len(FORETELLERS))]
        print(f"{len(known.saved):,} functions of {len(modules):,} modules, {compilations:,} compilations,", end=" ")
        print(f"{pool.cpu:,.0f} CPU s")
    print(f"deciding each function rightly, one by one, saves {known.possible:.2%} of a module")
    for share, who in zip(shares, FORETELLERS, strict=True):
        print(f"{share:>6.0%} of that is found by {who}")


def _with_material(given: argparse.Namespace, bench: Bench) -> None:
    read = next((path for name in ("network", "start") if (path := getattr(given, name, None))), None)
    start = _network(read) if read else None
    sources = given.sources or ([] if given.verb == "judge" else [CORPUS])
    material = material_of(sources, given.judge or _SUITES, given.subset, bench, given.corpus)
    with closing(observer()) as progress, Pool(bench, given.jobs, progress) as pool:
        validation = _judge(material.validation, given, pool)
        if not validation.modules or not (material.train or given.verb == "judge"):
            what = "learn from" if validation.modules else "be judged on"
            raise UsageError(f"no module is left to {what}", hint="other words after --from and --judge name others")
        if given.verb == "judge":
            assert start is not None, "the parser asks for it"
            network = start
            _print_ratios(validation, network, pool)
        else:
            print(f"{len(material.train):,} modules to learn from, {len(validation.modules):,} to be judged on")
            network = _trained(given, start, material, validation, pool)
            given.folder.mkdir(parents=True, exist_ok=True)
            (given.folder / NETWORK).write_bytes(network.as_data())
        print(f"validation: {validation.gain(network, pool):.4f}, {pool.cpu:,.0f} CPU s")
        for why in pool.lost:
            print(f"lost: {why}")


def _trained(
    given: argparse.Namespace, start: Network | None, material: Material, validation: Judge, pool: Pool
) -> Network:
    once = given.per == "callee"
    if given.verb == "clone":
        seen = cloning.questions_of(material.train, pool)
        return cloning.clone(seen, _FEATURES[given.features], given.hidden, given.seed)
    if given.verb == "imitate":
        learning = imitation.Imitation(
            _FEATURES[given.features],
            given.metric,
            once_for_callee=once,
            hidden=given.hidden,
            rounds=given.rounds,
            modules=given.modules,
            functions=given.functions,
            seed=given.seed,
        )
        told = _told(material, {**asdict(learning), "rounds": None})
        return imitation.learn(material.train, validation, learning, given.folder, pool, told)
    assert start is not None, "the parser asks for it"
    train = _judge(material.train, given, pool)
    besides = {"verb": given.verb, "metric": given.metric, "per": given.per, "start": digest_bytes(start.as_data())}
    besides |= {"compiled": train.words()}
    if given.verb == "gradient":
        how = policy_gradient.Gradient(given.steps, modules=given.modules, every=given.every, seed=given.seed)
        told = _told(material, {**asdict(how), "iterations": None, "every": None, **besides})
        return policy_gradient.learn(start, train, validation, how, given.folder, pool, told)
    if given.verb == "adapt":
        adapting = covariance.Adaptation(given.steps, modules=given.modules, every=given.every, seed=given.seed)
        told = _told(material, {**asdict(adapting), "steps": None, "every": None, **besides})
        return covariance.learn(start, train, validation, adapting, given.folder, pool, told)
    moving = evolution.Evolution(given.steps, modules=given.modules, every=given.every, seed=given.seed)
    told = _told(material, {**asdict(moving), "steps": None, "every": None, **besides})
    return evolution.learn(start, train, validation, moving, given.folder, pool, told)


def _judge(modules: Sequence[Module], given: argparse.Namespace, pool: Pool) -> Judge:
    return Judge.of(modules, given.metric, pool, once_for_callee=given.per == "callee")


def _told(material: Material, how: dict[str, Any]) -> dict[str, Any]:
    return {"material": material.words(), "how": how}


def _print_ratios(judge: Judge, network: Network, pool: Pool) -> None:
    width = max((len(module.name) for module in judge.modules), default=0)
    for module, ratio in zip(judge.modules, judge.ratios(network, pool), strict=True):
        print(f"{module.name:<{width}}  {ratio:.4f}")


if __name__ == "__main__":
    sys.exit(main())
