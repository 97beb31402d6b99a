"""Shell scripts: what they start, with which words, environment and files."""
