"""Amounts as Kubernetes and Docker write them."""

from __future__ import annotations

import re
from fractions import Fraction

DECIMAL = {"n": -3, "u": -2, "m": -1, "": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
# Source: kubernetes/apimachinery pkg/api/resource/quantity.go (the grammar above Quantity).
KUBERNETES = re.compile(
    r"(?P<number>[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))"
    r"(?:[eE](?P<exponent>[+-]?\d{1,2})|(?P<unit>[KMGTPE]i|[numkMGTPE]?))",
    re.ASCII,
)
# Source: docker/go-units size.go (RAMInBytes): units are powers of 1024 in either case.
DOCKER = re.compile(
    r"(?P<number>\d{1,30}(?:\.\d{1,30})?) ?(?P<unit>[kmgtp]?)i?b?", re.ASCII | re.IGNORECASE
)
# Source: compose-spec/compose-spec 11-extension.md, "Specifying durations".
DURATION = re.compile(
    r"(?:(?P<h>\d{1,6})h)?(?:(?P<m>\d{1,6})m)?(?:(?P<s>\d{1,6}(?:\.\d{1,9})?)s)?"
    r"(?:\d{1,9}ms)?(?:\d{1,9}us)?",
    re.ASCII,
)


def whole_seconds(duration: str) -> int | None:
    """The whole seconds of a duration of compose such as 90s or 1m30s; None when it is none."""
    match = DURATION.fullmatch(duration)
    if match is None or not duration:
        return None
    return int(match["h"] or 0) * 3600 + int(match["m"] or 0) * 60 + int(float(match["s"] or 0))


def amount(quantity: str) -> Fraction | None:
    """What a Kubernetes quantity such as 80Gi, 500m or 1e3 comes to; None when it is none."""
    match = KUBERNETES.fullmatch(quantity)
    if match is None:
        return None
    number, unit, exponent = Fraction(match["number"]), match["unit"], match["exponent"]
    if exponent:
        return number * Fraction(10) ** int(exponent)
    if unit in BINARY:
        return number * Fraction(1024) ** BINARY[unit]
    return number * Fraction(1000) ** DECIMAL[unit]


def of_docker(size: str) -> str | None:
    """A size of Docker such as 80g or 64mb as a Kubernetes quantity; None when it is none."""
    match = DOCKER.fullmatch(size)
    return (
        match["number"] + (f"{match['unit'].upper()}i" if match["unit"] else "") if match else None
    )


def to_docker(quantity: str) -> str | None:
    """A Kubernetes quantity as a size of Docker; None when it is no whole number of bytes."""
    number, unit = quantity[:-2], quantity[-2:]
    if number.isascii() and number.isdecimal() and unit in ("Ki", "Mi", "Gi", "Ti", "Pi"):
        return number + unit[0].lower()
    found = amount(quantity)
    return str(found) if found is not None and found >= 0 and found.denominator == 1 else None
