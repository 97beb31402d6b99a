"""Truss configurations."""
