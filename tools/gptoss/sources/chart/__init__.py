"""Targets: what real Helm renders, with the lines that their user edits."""
