"""Whether a submission may be merged: what ``harness validate`` finds. Nothing of a submission is believed."""
