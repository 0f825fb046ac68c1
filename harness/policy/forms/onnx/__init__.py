"""``model.onnx`` to C: a decision as a function of the features of what is asked about.

The file is untrusted, and so are the libraries that read it: ``translate`` and what it imports run in the sandbox
alone. ``source`` starts them there and looks at what comes back.
"""

from harness.policy.forms.onnx.source import Translation, model_source, translate_model

__all__ = ["Translation", "model_source", "translate_model"]
