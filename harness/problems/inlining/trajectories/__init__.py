"""What inlining policies saw and decided, call site by call site: for those who train the next ones."""
