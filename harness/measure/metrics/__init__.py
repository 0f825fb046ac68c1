"""One file a metric, or a few that are read off the same thing. Found by being here."""
