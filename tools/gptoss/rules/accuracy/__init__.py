"""Accuracy: can the engine hold the answers of an evaluation?"""
