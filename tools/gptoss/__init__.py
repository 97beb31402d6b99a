"""Checks, explains and measures deployments of gpt-oss-120b before anything is installed."""

__version__ = "0.1.0"
