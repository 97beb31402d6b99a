"""How long iterations of an engine take, out of measured data."""
