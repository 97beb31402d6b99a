"""Everything in the repository that is derived from something else in it."""
