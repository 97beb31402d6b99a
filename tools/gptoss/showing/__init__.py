"""What is in force, what the benchmark sends, what is shipped."""
