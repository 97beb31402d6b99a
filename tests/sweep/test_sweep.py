"""The record of the sweep is true in a sample, and what it must not hold is told."""

from __future__ import annotations

import pytest

from sweep.__main__ import cases, judgements_of, said
from sweep.cases import SURFACES
from sweep.faults import faults_of_sweep
from sweep.record import Entry, Record, read

EVERY = {"values": 97, "together": 11, "engine": 23, "pods": 19}


@pytest.mark.parametrize("surface", SURFACES)
def test_what_is_recorded_as_found_is_still_found(surface: str) -> None:
    record = read()[surface]
    known = [case for case in cases([surface]) if case.shown in record.get(case.key, {})]
    for case in known[:: EVERY[surface]]:
        verdict = judgements_of(surface).verdict(case.key, case.shown, case.refusal)
        assert verdict
        if verdict.is_harmful and not verdict.silent:
            assert verdict.is_told(said(case)), f"{case.key}: {case.shown}"


def test_a_key_without_judgement_or_record_is_a_fault() -> None:
    record = altered("engine", "no_such_key", "1", Entry())
    del record["values"]["model.id"]
    faults = "\n".join(faults_of_sweep(record))
    assert "engine.yaml: no_such_key: 1: nobody has judged" in faults
    assert "values: model.id was not tried; run `make sweep`" in faults


def test_a_harmful_value_that_check_is_silent_about_is_a_fault() -> None:
    record = altered("engine", "max_seq_len", "0", Entry())
    assert any("max_seq_len: 0: cannot, and check is silent" in f for f in faults_of_sweep(record))


def test_a_harmless_value_that_check_warns_of_is_a_fault() -> None:
    record = altered("engine", "tokenizer_mode", "slow", Entry({"E003": "error"}))
    assert any("slow: harmless, but check says E003" in f for f in faults_of_sweep(record))


def test_the_sweep_as_recorded_has_no_fault() -> None:
    assert list(faults_of_sweep(read())) == []


def altered(surface: str, key: str, value: str, entry: Entry) -> Record:
    record = read()
    record[surface].setdefault(key, {})[value] = entry
    return record
