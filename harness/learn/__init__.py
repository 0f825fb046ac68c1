"""Programs that learn from the train splits what others ship with. Each stands alone, and nothing imports it."""
