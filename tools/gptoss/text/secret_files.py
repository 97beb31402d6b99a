"""Which files hold a secret, so that only their owner may read them and nobody prints them."""

from __future__ import annotations

from typing import Any

import yaml

from gptoss.text import plain_yaml
from gptoss.text.secret_forms import marked
from gptoss.text.secrets import is_secret, words_without_secrets


def holds_secrets(text: str) -> bool:
    """Whether the text of a file holds a secret: by its form, or by the name of a YAML value.

    Lines of scripts inside it only look like the latter.
    """
    if any(True for _ in marked(text)):
        return True
    try:
        return any(_holds(document) for document in plain_yaml.load_all(text))
    except yaml.YAMLError:
        return False


def _holds(value: Any) -> bool:
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str) and "\n" not in word]
        return words_without_secrets(words) != words or any(map(_holds, value))
    if not isinstance(value, dict):
        return False
    named = {str(key): item for key, item in value.items()}
    if "value" in named:  # an entry of a list of variables
        named[str(named.get("name"))] = named["value"]
    return any(
        is_secret(name, item) if isinstance(item, str) and "\n" not in item else _holds(item)
        for name, item in named.items()
    )
