"""Turns a deployment that was read from anywhere into a values file of the chart."""
