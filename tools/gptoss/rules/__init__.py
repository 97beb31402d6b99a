"""The rules, one module a family; importing this package declares them all."""

from gptoss.rules import disagg, graph, parallelism

__all__ = ["disagg", "graph", "parallelism"]
