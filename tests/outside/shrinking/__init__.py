"""Which functions are compiled for size: a problem of the compiler that another package brings, with its plugin."""
