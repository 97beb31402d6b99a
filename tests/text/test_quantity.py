"""Quantities come to what Kubernetes and Docker make of them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.text.quantity import BINARY, DECIMAL, amount, of_docker, to_docker, whole_seconds


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [("90s", 90), ("1m30s", 90), ("1h", 3600), ("2.5s", 2), ("500ms", 0), ("", None), ("90", None)],
)
def test_a_duration_of_compose_comes_to_whole_seconds(duration: str, seconds: int | None) -> None:
    assert whole_seconds(duration) == seconds


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        ("8", 8),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1E", 10**18),
        ("500m", Fraction(1, 2)),
        ("0.5Gi", 2**29),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("1Pi", 2**50),
        ("10k", 10_000),
        ("-1Ki", -1024),
        ("1e-3", Fraction(1, 1000)),
    ],
)
def test_a_quantity_comes_to_what_kubernetes_makes_of_it(quantity: str, expected: Fraction) -> None:
    assert amount(quantity) == expected


@pytest.mark.parametrize("text", ["", "Gi", "1K", "1ki", "1gi", "1 Gi", "80gb", "1e", "1e3Gi", "٣"])
def test_what_kubernetes_refuses_is_no_quantity(text: str) -> None:
    assert amount(text) is None


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.sampled_from([*BINARY, *DECIMAL]))
def test_quantities_of_one_unit_are_ordered_as_their_numbers(
    one: int, other: int, unit: str
) -> None:
    first, second = amount(f"{one}{unit}"), amount(f"{other}{unit}")
    assert first is not None
    assert second is not None
    assert (first < second) == (one < other)


@given(st.text(max_size=12))
def test_any_text_is_a_quantity_or_none(text: str) -> None:
    assert amount(text) is None or text.strip() == text
    assert of_docker(text) is None or amount(of_docker(text) or "") is not None
    assert to_docker(text) is None or amount(text) is not None


@pytest.mark.parametrize(
    ("size", "quantity"),
    [
        ("10g", "10Gi"),
        ("10G", "10Gi"),
        ("64m", "64Mi"),
        ("80gb", "80Gi"),
        ("1.5GiB", "1.5Gi"),
        ("512 kb", "512Ki"),
        ("1024", "1024"),
        ("1024b", "1024"),
        ("2t", "2Ti"),
    ],
)
def test_docker_counts_in_powers_of_1024(size: str, quantity: str) -> None:
    assert of_docker(size) == quantity


@pytest.mark.parametrize("size", ["", "big", "$SHM", "-1g", "1e3", "g", "1x"])
def test_what_docker_refuses_is_no_size(size: str) -> None:
    assert of_docker(size) is None


@given(st.integers(0, 10**9), st.sampled_from(["", "k", "m", "g", "t", "p"]))
def test_a_size_of_docker_comes_back(number: int, unit: str) -> None:
    assert to_docker(of_docker(f"{number}{unit}") or "") == f"{number}{unit}"


@pytest.mark.parametrize(
    ("quantity", "size"),
    [("80Gi", "80g"), ("1e9", "1000000000"), ("10G", "10000000000"), ("0.5Gi", "536870912")],
)
def test_a_quantity_is_written_as_docker_reads_it(quantity: str, size: str) -> None:
    assert to_docker(quantity) == size


@pytest.mark.parametrize("quantity", ["", "500m", "-1Gi", "much"])
def test_what_is_no_number_of_bytes_has_no_size(quantity: str) -> None:
    assert to_docker(quantity) is None
