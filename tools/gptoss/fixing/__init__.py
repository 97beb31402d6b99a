"""Changes of text that mend findings, planned and checked before anything is written."""
