"""What inlining policies are about: the features of a call site, and what is done with a decision."""
