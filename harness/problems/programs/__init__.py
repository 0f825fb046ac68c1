"""What the problems share whose tasks are programs: cells, modules, inputs, verification, run time."""
