"""Suites: what is compiled and run. Definitions, sources, inputs."""
