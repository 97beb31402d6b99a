"""Mixture of experts: does a kernel exist for backend, activation type and GPU?"""
