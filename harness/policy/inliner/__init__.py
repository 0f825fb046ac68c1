"""The kind `inliner`: a policy decides each call site from its features."""
