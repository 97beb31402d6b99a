"""Who sets each engine setting, and who wins."""
