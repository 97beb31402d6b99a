"""The one typed model of a deployment."""
