"""A submitted C++ file that sees features and nothing else, as the source of a program that answers questions."""

from harness.policy.forms.interface import WORD, Choice, Element, Index, Interface, Number, Tensor

__all__ = ["features_source"]

_TYPES = {Element.INT32: "int32_t", Element.INT64: "int64_t", Element.FLOAT: "float", Element.DOUBLE: "double"}

_SOURCE = """\
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

struct Features {{
{members}
}};
{constants}
#include "{file}"

extern "C" const unsigned char policy_uses[{count}];
const unsigned char policy_uses[{count}] = {{{uses}}};

extern "C" int64_t policy_decide(const int64_t *question);
int64_t policy_decide(const int64_t *question) {{
  static Features features;
{copies}
  const {answer} decided = decide(features);
{verdict}
}}
"""


def features_source(interface: Interface, constants: str, file: str) -> str:
    """C++ around the submission ``file``: ``Features`` and the definitions ``constants`` before it, and the entry.

    The file defines ``decide(const Features &)``, which gives a position, or a double where a number is asked for.
    """
    count, one = len(interface.features), interface.decision
    number = isinstance(one, Number)
    return _SOURCE.format(
        members="\n".join(f"  {_member(feature)};" for feature in interface.features),
        constants=constants,
        file=file,
        count=count,
        uses=", ".join(["1"] * count),
        copies="\n".join(
            f"  std::memcpy(&features.{feature.name}, question + {interface.places[feature.name]}, "
            f"sizeof features.{feature.name});"
            for feature in interface.features
        ),
        answer="double" if number else "int64_t",
        verdict=_NUMBER if number else _position(interface),
    )


_NUMBER = f"""\
  int64_t word;
  static_assert(sizeof word == {WORD});
  std::memcpy(&word, &decided, sizeof word);
  return word;"""


def _position(interface: Interface) -> str:
    one, many = interface.decision, interface.alternatives
    assert isinstance(one, Choice | Index)
    masked = f" && features.{one.mask}[decided] != 0" if isinstance(one, Index) else ""
    return f"  return decided >= 0 && decided < {many}{masked} ? decided : -1;"


def _member(feature: Tensor) -> str:
    return f"{_TYPES[feature.element]} {feature.name}{''.join(f'[{size}]' for size in feature.shape)}"
