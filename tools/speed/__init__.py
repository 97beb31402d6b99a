"""Writes ``schema/speed.yaml``: the library's times of iterations in closed form."""
