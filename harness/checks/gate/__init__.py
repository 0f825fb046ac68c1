"""Pull requests: what one changes, whether that is a submission and nothing else, and what the submission does."""
