"""Manifests: graphs, workloads and the objects beside them."""
