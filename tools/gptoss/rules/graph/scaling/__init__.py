"""What changes the number of pods, and what keeps them."""
