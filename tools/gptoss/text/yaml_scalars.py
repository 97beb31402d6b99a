"""Scalars of YAML: their types, and values that are judged before they are made."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.text.places import Place

STRING = "tag:yaml.org,2002:str"
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
MAX_NUMBER_BITS = 1024
# Those of 1,024 bits are shorter in any base. Base 60 takes the square of the length.
MAX_NUMBER_LENGTH = 2048


def tag_of(event: Any) -> str:
    """The tag of a scalar: the one that is written, else that of what is written."""
    if event.tag is not None and event.tag != "!":
        return str(event.tag)
    return _plain_tag(event.value) if event.implicit[0] else STRING


@lru_cache(maxsize=8192)
def _plain_tag(text: str) -> str:
    """The tag of a scalar that is written without quotes."""
    resolver: Any = Resolver()
    # To Helm and Kubernetes = is text.
    return STRING if text == "=" else str(resolver.resolve(yaml.ScalarNode, text, (True, True)))


def value_of(text: str, tag: str, place: Place) -> Any:
    """The value of a scalar that is no text.

    Args:
        text: How it is written.
        tag: Its tag.
        place: Where it stands.

    Raises:
        InputError: There is no such type, it is not of its type, or a number too large.
    """
    if tag in NUMBERS and len(text) > MAX_NUMBER_LENGTH:
        raise InputError("this number is too large", place)
    try:
        value = _made(text, tag)
    except yaml.MarkedYAMLError as error:
        raise InputError(f"this is not valid YAML: {error.problem}", place) from None
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError):
        kind = tag.rpartition(":")[2]
        raise InputError(f"this is not valid YAML: not a value of type {kind}", place) from None
    if isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS:
        raise InputError("this number is too large", place)
    return value


@lru_cache(maxsize=8192)
def _made(text: str, tag: str) -> Any:
    """What PyYAML makes of a scalar; of most there are many."""
    constructor: Any = SafeConstructor()
    return constructor.construct_object(yaml.ScalarNode(tag, text), deep=True)
