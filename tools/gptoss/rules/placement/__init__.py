"""Placement: do pods land on nodes that can run them?"""
