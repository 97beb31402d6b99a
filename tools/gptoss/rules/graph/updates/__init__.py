"""Changes of what is installed."""
