"""Suppressions: is every suppression needed, and does it say why?"""
