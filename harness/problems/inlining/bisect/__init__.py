"""The smallest set of decisions that explains why two policies' objects differ in size."""
