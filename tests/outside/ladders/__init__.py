"""A suite that another package brings: the folder of this file has its definition."""
