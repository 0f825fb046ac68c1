"""Lists of passes that make small objects, found on the train splits; and few of them that serve all programs."""
