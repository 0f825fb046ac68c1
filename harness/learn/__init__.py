"""Programs that learn from the train splits what others ship with, and a corpus to learn from. Each stands alone, and
nothing imports it but what shows it to people."""
