"""``model.onnx`` to C: a decision of one call site as a function of its features.

The file is untrusted, and so are the libraries that read it: ``translate`` and what it imports run in the sandbox
alone. ``source`` starts them there and looks at what comes back.
"""

from harness.policy.forms.onnx.source import Translation, model_source, translate_model

__all__ = ["Translation", "model_source", "translate_model"]
