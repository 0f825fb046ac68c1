"""Policies: manifests, the one loader for baselines and submissions, and the registry of problems."""

from harness.policy.load import all_policies, load_policy
from harness.policy.manifest import Manifest
from harness.policy.policy import Policy
from harness.policy.problems import Problem, all_problems, form_of, is_asked_again, problem_of

__all__ = [
    "Manifest",
    "Policy",
    "Problem",
    "all_policies",
    "all_problems",
    "form_of",
    "is_asked_again",
    "load_policy",
    "problem_of",
]
