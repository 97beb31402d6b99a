"""Precedence: who wins where the same thing is said twice?"""
