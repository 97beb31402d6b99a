"""Disaggregation: do prefill and decode understand each other?"""
