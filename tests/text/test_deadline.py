"""Promises of gptoss.text.deadline."""

from __future__ import annotations

import signal
from contextlib import suppress
from math import inf

import pytest

from gptoss.text import deadline
from gptoss.text.errors import InputError


def test_what_does_not_end_is_ended_and_the_message_says_what_to_do() -> None:
    with pytest.raises(InputError, match=r"not done in 0\.02 s.*--timeout"), deadline.within(0.02):
        for_ever()


def for_ever() -> None:
    while True:
        pass


def test_nobody_who_expects_bad_input_swallows_the_end() -> None:
    def never() -> None:
        while True:
            with suppress(Exception):
                for_ever()

    with pytest.raises(InputError, match="not done"), deadline.within(0.02):
        never()


def test_a_deadline_that_is_kept_leaves_nothing_behind() -> None:
    before = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with deadline.within(60):
        assert 0 < deadline.left() <= 60
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) == before
    assert deadline.left() == inf


def test_work_that_takes_long_by_design_lifts_it() -> None:
    with deadline.within(60):
        deadline.lift()
        assert deadline.left() == inf
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
