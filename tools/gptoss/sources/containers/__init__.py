"""Compose files, ``docker run`` lines and scripts."""
