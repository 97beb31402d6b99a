"""Sets every key to plausible wrong values, one at a time, and keeps what check says to each.

``python -m sweep`` does so and writes ``schema/sweep/outcomes.json``. What each value does stands
in ``schema/sweep/*.yaml``, written by hand; ``docs/coverage.md`` shows both together.
"""
