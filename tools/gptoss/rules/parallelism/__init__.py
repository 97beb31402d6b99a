"""Parallelism: do the sizes fit GPUs, nodes and model?"""
