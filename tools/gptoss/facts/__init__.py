"""What is known about the outside world, read from ``schema/``."""
