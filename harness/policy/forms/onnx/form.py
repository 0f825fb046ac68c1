"""The form ``model.onnx``: a neural network, translated to C that only computes."""

from harness.policy.forms.interface import Interface
from harness.policy.forms.onnx.source import model_source, translator_digest
from harness.policy.forms.program import TranslatedForm
from harness.sandbox.bench import Bench

__all__ = ["FORM", "OnnxForm"]


class OnnxForm(TranslatedForm):
    """A network takes every tensor, and its output can be every decision. Only the sandbox looks at the file."""

    def source(self, content: bytes, name: str, interface: Interface, bench: Bench) -> str:
        """The network's C."""
        return model_source(content, name, interface, bench)

    @property
    def translator(self) -> str:
        """The translation and its libraries."""
        return translator_digest()


FORM = OnnxForm("model", "model.onnx", modules=("onnx", "emx_onnx_cgen"))
