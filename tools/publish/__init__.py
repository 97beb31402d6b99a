"""Publishes the chart: ``make release`` signs it, pushes it, and installs from where it lies.

What is published differs from ``charts/gpt-oss`` in what only a release knows: the address of its
repository, what has changed, and the key that signs.
"""
