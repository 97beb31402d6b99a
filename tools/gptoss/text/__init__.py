"""Files as text: YAML with places, shell, words, secrets, whole files."""
