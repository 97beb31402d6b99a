"""Predictions of the project, recorded, and held against what others have measured."""
