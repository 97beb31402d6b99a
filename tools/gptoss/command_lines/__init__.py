"""What a program makes of its words: argparse, click and cyclopts."""
