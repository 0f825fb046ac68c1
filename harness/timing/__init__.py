"""Step 5, run time: pairs in turns on one core, an A/A control, and the machine's conditions beside them."""
