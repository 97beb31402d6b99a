"""How fast a deployment will be, by whom it is held up, and what the same GPUs could do."""
