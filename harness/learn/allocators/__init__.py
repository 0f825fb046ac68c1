"""What allocates each function, learnt from what the functions of the train splits execute."""
