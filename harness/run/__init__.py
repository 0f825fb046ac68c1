"""One run: from a request to the run file."""
