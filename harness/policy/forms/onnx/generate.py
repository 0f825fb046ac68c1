"""A network to C: emx-onnx-cgen's templates where they serve, our own where theirs are slow or leave C undefined.

Runs in the sandbox.
"""

import re
import shutil
import tempfile
from pathlib import Path

import emx_onnx_cgen
from emx_onnx_cgen.compiler import Compiler, CompilerOptions
from emx_onnx_cgen.errors import CompilerError

from harness.policy.forms.interface import Choice, Element, Index, Interface, Number, Tensor
from harness.policy.forms.onnx.dialect import HEADER
from harness.policy.forms.onnx.graph import Network
from harness.policy.forms.onnx.read import Input
from harness.policy.forms.onnx.refused import Refused
from harness.policy.forms.onnx.tensors import ELEMENT_NAMES

__all__ = ["c_source"]

_KEPT = (
    *("arg_reduce", "binary", "gather", "identity", "logsoftmax", "multi_input", "reduce"),
    *("reshape", "slice", "softmax", "transpose", "unary", "where"),
)
"""The generator's templates that are used. There is none for any other operator: it could write nothing."""

_LOOPS = """\
{% for dim in shape %}
for (idx_t {{ loop_vars[loop.index0] }} = 0; {{ loop_vars[loop.index0] }} < {{ dim }}; ++{{ loop_vars[loop.index0] }}) {
{% endfor %}
BODY
{% for _ in shape %}
}
{% endfor %}
"""

_CAST = _LOOPS.replace(
    "BODY",
    """\
{% set value = input0 ~ "[" ~ loop_vars | join("][") ~ "]" %}
{% set target = output ~ "[" ~ loop_vars | join("][") ~ "]" %}
{% if input_c_type in ("float", "double") and output_c_type in ("int32_t", "int64_t") %}
{% set bits = output_c_type[3:5] %}
{% set least = "-0x1p31" if bits == "32" else "-0x1p63" %}
{% set beyond = "0x1p31" if bits == "32" else "0x1p63" %}
{{ target }} = {{ value }} >= {{ least }} && {{ value }} < {{ beyond }}
    ? ({{ output_c_type }}){{ value }} : INT{{ bits }}_MIN;
{% elif output_c_type == "bool" or output_c_type == "_Bool" %}
{{ target }} = {{ value }} != 0;
{% else %}
{{ target }} = ({{ output_c_type }}){{ value }};
{% endif %}""",
)
"""A float beyond the integer's range is undefined in C; x86-64, and onnxruntime on it, give the least integer."""

_CLIP = _LOOPS.replace(
    "BODY",
    """\
{% set least = {"float": "-FLT_MAX", "double": "-DBL_MAX"}.get(output_c_type) %}
{{ output_c_type }} value = {{ input_expr }};
const {{ output_c_type }} min_value = {{ min_expr if input_min or not least else least }};
const {{ output_c_type }} max_value = {{ max_expr if input_max or not least else least[1:] }};
value = value < min_value ? min_value : value;
{{ output }}[{{ loop_vars | join("][") }}] = value > max_value ? max_value : value;""",
)
"""A bound that is left out is the type's last finite number, and NaN stays NaN: as in onnxruntime."""

_GEMM = """\
    for (idx_t i = 0; i < {{ m }}; ++i) {
        {{ acc_type }} acc[{{ n }}];
        for (idx_t j = 0; j < {{ n }}; ++j) {
            acc[j] = {{ zero_literal }};
        }
        for (idx_t k = 0; k < {{ k }}; ++k) {
            const {{ c_type }} a_val = {{ input_a }}{{ "[k][i]" if trans_a else "[i][k]" }};
            for (idx_t j = 0; j < {{ n }}; ++j) {
                acc[j] += a_val * {{ input_b }}{{ "[j][k]" if trans_b else "[k][j]" }};
            }
        }
        for (idx_t j = 0; j < {{ n }}; ++j) {
{% if not input_c %}
            {{ output }}[i][j] = acc[j] * {{ alpha_literal }};
{% else %}
{% if c_rank == 2 %}
{% set place = "[" ~ ("0" if c_dim0 == 1 else "i") ~ "][" ~ ("0" if c_dim1 == 1 else "j") ~ "]" %}
{% elif c_rank == 1 and c_dim1 != 1 %}
{% set place = "[i]" if c_axis == "row" else "[j]" %}
{% else %}
{% set place = "[0]" %}
{% endif %}
            {{ output }}[i][j] = acc[j] * {{ alpha_literal }} + {{ input_c }}{{ place }} * {{ beta_literal }};
{% endif %}
        }
    }
"""
"""The same sums in the same order as one element after the other, but along rows: vector instructions apply."""

_MATMUL = """\
{% for var in output_loop_vars %}
for (idx_t {{ var }} = 0; {{ var }} < {{ output_loop_bounds[loop.index0] }}; ++{{ var }}) {
{% endfor %}
{{ output_index_expr }} = {{ zero_literal }};
{% for _ in output_loop_vars %}
}
{% endfor %}
{% for var in output_loop_vars[:-1] %}
for (idx_t {{ var }} = 0; {{ var }} < {{ output_loop_bounds[loop.index0] }}; ++{{ var }}) {
{% endfor %}
for (idx_t k = 0; k < {{ k }}; ++k) {
{% for var in output_loop_vars[-1:] %}
for (idx_t {{ var }} = 0; {{ var }} < {{ output_loop_bounds[-1] }}; ++{{ var }}) {
{% endfor %}
{{ output_index_expr }} += {{ input0_index_expr }} * {{ input1_index_expr }};
{% for _ in output_loop_vars %}
}
{% endfor %}
}
"""

_CONCAT = """\
    {{ c_type }} *output_flat = ({{ c_type }} *){{ output }};
{% set total = axis_sizes | map("int") | sum * inner | int %}
{% set place = namespace(offset=0) %}
{% for input in inputs %}
{% set size = axis_sizes[loop.index0] | int * inner | int %}
    const {{ c_type }} *input_{{ loop.index0 }}_flat = (const {{ c_type }} *){{ input }};
    for (idx_t o = 0; o < {{ outer }}; ++o) {
        for (idx_t i = 0; i < {{ size }}; ++i) {
            output_flat[o * {{ total }} + {{ place.offset }} + i] = input_{{ loop.index0 }}_flat[o * {{ size }} + i];
        }
    }
{% set place.offset = place.offset + size %}
{% endfor %}
"""

_OWN = {
    name: "EMX_NODE_FN void {{ op_name }}({{ dim_args }}{{ params | join(', ') }}) {\n" + body + "}\n"
    for name, body in {"cast": _CAST, "clip": _CLIP, "gemm": _GEMM, "matmul": _MATMUL, "concat": _CONCAT}.items()
}

_SCALAR = r"(static inline {c_type} ref_scalar_{prefix}_{name}\(.*\) \{{\n    return )"
_REAL = {"c_type": "(?:float|double)", "prefix": "(?:f32|f64)"}
_CORRECTIONS = {
    _SCALAR.format(c_type="int(32|64)_t", prefix=r"i\d\d", name="(?:add|sub|mul)")
    + r"a ([-+*]) b;": r"\1(int\2_t)((uint\2_t)a \3 (uint\2_t)b);",
    _SCALAR.format(**_REAL, name="relu") + r"a > (\S+) \? a : \2;": r"\1a <= \2 ? \2 : a;",
    _SCALAR.format(**_REAL, name="maximum") + r"fmaxf?\(a, b\);": r"\1a > b || isnan(a) ? a : b;",
    _SCALAR.format(**_REAL, name="minimum") + r"fminf?\(a, b\);": r"\1a < b || isnan(a) ? a : b;",
}
"""Functions of the generator → what they must be: integers wrap around, and NaN stays NaN, as in onnxruntime."""
_C_TYPES = {"float": "float", "double": "double", "int32": "int32_t", "int64": "int64_t", "bool": "bool"}


def c_source(network: Network, interface: Interface) -> str:
    """The network and its two entry points as C11. Raises Refused for what the generator cannot translate."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        options = CompilerOptions(
            template_dir=_templates(Path(folder)),
            model_name="policy_network",
            large_temp_threshold_bytes=0,  # nothing on the heap
            large_weight_threshold=1 << 40,  # no weights in a file of their own
        )
        try:
            generated = Compiler(options).compile(network.model)
        except CompilerError as error:
            words = str(error).partition(" (while lowering")[0].split()
            raise Refused(f"it cannot be translated to C: {' '.join(words)[:300]}") from error
    return HEADER + _own_style(generated) + _entry_points(network, interface)


def _templates(folder: Path) -> Path:
    """A folder with the generator's templates that are used, ours, and nothing in all others."""
    theirs = Path(emx_onnx_cgen.__file__).parent / "templates"
    kept = {f"{name}_op.c.j2" for name in _KEPT}
    own = {f"{name}_op.c.j2": text for name, text in _OWN.items()}
    for template in theirs.glob("*.j2"):
        if template.name in kept:
            shutil.copyfile(template, folder / template.name)
        else:
            (folder / template.name).write_text(own.get(template.name, ""))
    return folder


def _own_style(generated: str) -> str:
    """One translation unit whose names are its own, without comments, and in which integers wrap around."""
    text = re.sub(r"/\*.*?\*/", "", generated, flags=re.DOTALL)
    text = re.sub(r"^#.*\n|^extern const .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^const EMX_UNUSED", "static const EMX_UNUSED", text, flags=re.MULTILINE)
    text = re.sub(r"^_Bool model_load\(.*?^\}\n|^_Bool \w+_load\(.*?^\}\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^void policy_network\(", "static void policy_network(", text, flags=re.MULTILINE)
    for pattern, correct in _CORRECTIONS.items():
        text = re.sub(pattern, correct, text)
    return re.sub(r"\n{3,}", "\n\n", text)


def _entry_points(network: Network, interface: Interface) -> str:
    used = {feature for entry in network.inputs for feature in entry.features}
    count = len(interface.features)
    uses = ", ".join("1" if feature in used else "0" for feature in range(count))
    lines = [
        f"extern const unsigned char policy_uses[{count}];",
        "int64_t policy_decide(const int64_t *features);",
        "",
        f"const unsigned char policy_uses[{count}] = {{{uses}}};",
        "",
        "int64_t policy_decide(const int64_t *features) {",
    ]
    for entry in network.inputs:
        lines += _filled(entry, interface)
    for output in network.outputs:
        lines.append(f"    {_C_TYPES[output.element]} {output.name}{_suffix(output.shape)};")
    lines.append(f"    policy_network({', '.join(entry.name for entry in (*network.inputs, *network.outputs))});")
    kept = [entry for entry in network.inputs if entry.after]
    lines += [f"    memcpy({entry.name}, {entry.after}, sizeof {entry.name});" for entry in kept]
    lines += _verdict(network.outputs[0], interface)
    return "\n".join((*lines, "}", ""))


def _filled(entry: Input, interface: Interface) -> list[str]:
    """The declaration of an input's array, and how it gets its features; a state keeps what it had, zeros at first."""
    declared = f"{_C_TYPES[entry.element]} {entry.name}{_suffix(entry.shape)};"
    if not entry.features:
        return [f"    static {declared}"]
    lines = [f"    {declared}"]
    first = "[0]" * max(len(entry.shape) - 1, 0)
    if len(entry.features) > 1:
        loop = f"    for (idx_t i = 0; i < {len(entry.features)}; ++i) {{"
        return [*lines, loop, f"        {entry.name}{first}[i] = {_converted('features[i]', entry.element)};", "    }"]
    feature = interface.features[entry.features[0]]
    word = interface.places[feature.name]
    if feature.element is Element.INT64 and not feature.shape:
        return [*lines, f"    {entry.name}{first}[0] = {_converted(f'features[{word}]', entry.element)};"]
    real = _C_TYPES[entry.element]
    return [
        *lines,
        "    {",
        *(f"    {line}" for line in _copied(feature, word)),
        f"        for (idx_t i = 0; i < {feature.size}; ++i) {{",
        f"            (({real} *){entry.name})[i] = {_converted('data[i]', entry.element)};",
        "        }",
        "    }",
    ]


def _copied(feature: Tensor, word: int) -> list[str]:
    """The feature as the array ``data``."""
    element = _C_TYPES[ELEMENT_NAMES[feature.element]]
    return [f"    {element} data[{feature.size}];", f"    memcpy(data, features + {word}, sizeof data);"]


def _converted(feature: str, element: str) -> str:
    if element == "int32":  # beyond its range the nearest number, not the low bits
        return f"(int32_t)({feature} > INT32_MAX ? INT32_MAX : {feature} < INT32_MIN ? INT32_MIN : {feature})"
    return feature if element == "int64" else f"({_C_TYPES[element]}){feature}"


def _verdict(output: Input, interface: Interface) -> list[str]:
    """The answer, from the tensor that decides. NaN never decides: no comparison with it holds."""
    one, many, last = interface.decision, interface.alternatives, max(len(output.shape), 1)
    zero, real = f"{output.name}{'[0]' * last}", output.element in ("float", "double")
    if isinstance(one, Number):
        return [
            f"    const double value = (double){zero};",
            "    int64_t best;",
            "    memcpy(&best, &value, sizeof best);",
            "    return best;",
        ]
    if isinstance(one, Choice) and many == 2:
        two = [axis for axis, size in enumerate(output.shape) if size == 2]
        if two:
            second = output.name + "".join("[1]" if axis in two else "[0]" for axis in range(last))
            return [f"    return {second} > {zero};"]
        return [f"    return {f'{zero} > 0' if real else f'{zero} != 0'};"]
    lines, allowed = [], ""
    if isinstance(one, Index):
        lines, allowed = _copied(interface.feature(one.mask), interface.places[one.mask]), " && data[{}] != 0"
    if not real:
        lines.append(f"    const int64_t value = {zero};")
        return [*lines, f"    return value >= 0 && value < {many}{allowed.format('value')} ? value : -1;"]
    return [
        *lines,
        "    int64_t best = -1;",
        f"    {_C_TYPES[output.element]} max_value = 0;",
        f"    for (idx_t i = 0; i < {many}; ++i) {{",
        f"        const {_C_TYPES[output.element]} value = ((const {_C_TYPES[output.element]} *){output.name})[i];",
        f"        if (!isnan(value){allowed.format('i')} && (best < 0 || value > max_value)) {{",
        "            best = i;",
        "            max_value = value;",
        "        }",
        "    }",
        "    return best;",
    ]


def _suffix(shape: tuple[int, ...]) -> str:
    return "".join(f"[{size}]" for size in shape or (1,))
