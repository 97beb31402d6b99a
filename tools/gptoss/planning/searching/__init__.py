"""What the same GPUs could do, and which of it to take."""
