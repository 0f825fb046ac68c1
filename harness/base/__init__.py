"""What everything rests on: words, errors, paths, digests, the store, processes, files that others have written."""
