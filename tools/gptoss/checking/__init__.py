"""Runs the rules, and keeps what somebody gave a reason to keep."""
