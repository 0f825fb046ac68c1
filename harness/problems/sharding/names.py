"""How the problem is called, in manifests, rows, decisions and files."""

__all__ = ["SHARDING"]

SHARDING = "sharding"
