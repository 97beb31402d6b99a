"""What lies in the memory of each worker's GPU, and what fits into its KV cache."""
