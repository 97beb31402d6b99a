"""Text that is shown, at a length that a person reads."""

LONGEST = 2000


def shortened(text: str) -> str:
    """The text; of a longer one its first 2,000 characters without the word that they end in.

    A word is left out whole, as what hides secrets has to see them whole.
    """
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"
