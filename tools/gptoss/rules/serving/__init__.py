"""Serving: do clients get what they ask for, from the files that are meant?"""
