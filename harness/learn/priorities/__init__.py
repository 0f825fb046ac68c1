"""The priority of a live range, learnt from what the train splits' hot functions would execute under many."""
