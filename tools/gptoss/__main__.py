"""``python -m gptoss``."""

from gptoss.cli import main

main()
