"""The values contract of the chart, as a typed model."""
