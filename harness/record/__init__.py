"""Step 6, record: run files are the source of truth; the DuckDB index is rebuilt from them."""

from harness.record.index import open_index
from harness.record.journal import Journal
from harness.record.rows import Header, Row
from harness.record.runfile import RunFile, read_run, run_files

__all__ = ["Header", "Journal", "Row", "RunFile", "open_index", "read_run", "run_files"]
