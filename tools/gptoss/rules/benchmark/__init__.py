"""Benchmark: does it measure this deployment?"""
