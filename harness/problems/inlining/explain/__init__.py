"""Why one policy's object is larger than another's: which call sites were decided otherwise, which bytes moved."""
