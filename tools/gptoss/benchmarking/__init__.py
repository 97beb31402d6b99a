"""Benchmarks: each run a folder, and what the folders say."""
