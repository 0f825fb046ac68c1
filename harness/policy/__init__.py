"""Policies: manifests, the one loader for baselines and submissions, and the registry of kinds."""

from harness.policy.kinds import Kind, kind_of
from harness.policy.load import all_policies, load_policy
from harness.policy.manifest import Manifest
from harness.policy.policy import Policy

__all__ = ["Kind", "Manifest", "Policy", "all_policies", "kind_of", "load_policy"]
