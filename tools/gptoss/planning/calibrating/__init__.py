"""One's own benchmark runs, and what they change in predictions."""
