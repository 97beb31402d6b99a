"""Does the program take the values of flags and variables?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss import cli_facts
from gptoss.arguments import unresolved
from gptoss.cli_facts import WORKER
from gptoss.findings import Need, Said, Severity, rule
from gptoss.fixes import set_flag
from gptoss.rules._common import quoted
from gptoss.rules._flags import (
    SOURCE,
    Reading,
    is_choice,
    judged,
    mistyped,
    nearest,
    out_of_bounds,
    readings,
    span,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.arguments import Given
    from gptoss.cli_facts import Flag
    from gptoss.facts import Facts
    from gptoss.fixes import Fix
    from gptoss.model import Deployment
    from gptoss.places import Located
    from gptoss.pods import Variable

MODE = "--disaggregation-mode"
# R002 and R003 tell the spellings of aggregated serving.
AGGREGATED_MODES = ("agg", "pd", "prefill_and_decode")
BOOLEANS = ("true", "1", "yes", "on", "false", "0", "no", "off", "")


def _final(reading: Reading, given: Given) -> bool:
    return reading.arguments.last(given.flag.name) is given


def _refused_choices(reading: Reading) -> Iterator[tuple[Given, Located[str]]]:
    """Values of the command line that are not among those that their flag takes."""
    for given in reading.arguments.given:
        for value in judged(given, final=_final(reading, given)):
            told_elsewhere = given.flag.name == MODE and value.value in AGGREGATED_MODES
            if not is_choice(given.flag, value.value) and not told_elsewhere:
                yield given, value


def _releases_that_take(reading: Reading, flag: Flag, value: str) -> tuple[str, ...]:
    found = []
    for release in cli_facts.releases_with(reading.program.name, flag.name):
        program = cli_facts.program(reading.program.name, release)
        if program and value in program.spellings[flag.name].choices:
            found.append(release)
    return tuple(found)


@rule(
    "R005",
    "value-of-another-release",
    Severity.ERROR,
    source=SOURCE,
    bad="""
    # release: 1.0.2
    # also: R004
    # frontend flags
    --router-mode least-loaded
    """,
    good="""
    # frontend flags
    --router-mode least-loaded
    """,
    near="""
    # frontend flags
    --router-mode random
    """,
    needs=(Need.RELEASE,),
)
def value_of_another_release(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A flag has a value that another release takes and this one does not.

    The program stops at it.
    """
    for reading in readings(deployment):
        for given, value in _refused_choices(reading):
            releases = _releases_that_take(reading, given.flag, value.value)
            if releases:
                yield Said(
                    given.at,
                    f"{reading.name}: {given.spelling} {value.value} "
                    f"{span(reading.program, releases)}; release {reading.program.release} stops "
                    "at it",
                    f"use one of {', '.join(given.flag.choices)}",
                )


@rule(
    "R013",
    "value-not-a-choice",
    Severity.ERROR,
    source=SOURCE,
    bad="""
    # worker flags
    --dyn-reasoning-parser gpt-oss
    """,
    good="""
    # worker flags
    --dyn-reasoning-parser gpt_oss
    """,
    near="""
    # worker flags
    --output-modalities TEXT
    """,
    needs=(Need.RELEASE,),
)
def value_not_a_choice(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A flag has a value that no release takes.

    The program stops at it and names the values it takes.
    """
    for reading in readings(deployment):
        for given, value in _refused_choices(reading):
            if not _releases_that_take(reading, given.flag, value.value):
                yield Said(
                    given.at,
                    f"{reading.name}: {given.spelling} does not take {value.value!r}",
                    _choice_hint(given.flag, value.value),
                    fix=_right_parser(deployment, given),
                )


def _right_parser(deployment: Deployment, given: Given) -> Fix | None:
    """The parser that understands the model, for the flags that name one."""
    model = deployment.model
    right = {
        "--dyn-reasoning-parser": model.reasoning_parser if model else None,
        "--dyn-tool-call-parser": model.tool_call_parser if model else None,
    }.get(given.flag.name)
    return set_flag(given.at.place, given.spelling, right) if right else None


def _choice_hint(flag: Flag, value: str) -> str:
    close = nearest(value.lower(), flag.choices)
    told = f"write {close}; " if close else ""
    return f"{told}it takes {quoted(flag.choices)}"


@rule(
    "R014",
    "value-of-wrong-type",
    Severity.ERROR,
    source=SOURCE,
    bad="""
    # worker flags
    --max-file-size-mb 50MB
    """,
    good="""
    # worker flags
    --max-file-size-mb 50
    """,
    near="""
    # frontend flags
    --migration-limit 3 --active-decode-blocks-threshold None
    """,
    needs=(Need.RELEASE,),
)
def value_of_wrong_type(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A number is not written as one, or is outside what the program takes.

    The program stops at it.
    """
    for reading in readings(deployment):
        for given in reading.arguments.given:
            final = _final(reading, given)
            for value in judged(given, final=final):
                wanted = mistyped(given.flag, value.value)
                wanted = wanted or (out_of_bounds(given.flag, value.value) if final else None)
                if wanted:
                    yield Said(
                        given.at,
                        f"{reading.name}: {given.spelling} takes {wanted}, not {value.value!r}",
                        f"write {wanted}",
                    )


@rule(
    "R015",
    "variable-refused",
    Severity.ERROR,
    source=f"{SOURCE}; dynamo/common/configuration/utils.py",
    bad="""
    # worker env
    DYN_TRTLLM_MAX_FILE_SIZE_MB: 50MB
    """,
    good="""
    # worker env
    DYN_TRTLLM_MAX_FILE_SIZE_MB: "50"
    """,
    near="""
    # worker env
    DYN_OUTPUT_MODALITIES: text image
    """,
    needs=(Need.RELEASE,),
)
def variable_refused(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A variable gives a flag's default, and the program stops at its value.

    The message in the log is Python's own and names neither the variable nor the flag. A number is
    read even where the flag is given too.
    """
    for reading in readings(deployment):
        for flag, variable, value in _variables(reading):
            if flag.env_checked and (wanted := _wanted(reading, flag, value)):
                yield Said(
                    variable,
                    f"{reading.name}: {variable.name} takes {wanted}, not {value!r}",
                    "correct it, or remove the variable",
                )


def _wanted(reading: Reading, flag: Flag, value: str) -> str | None:
    """What the program expects of a variable instead of its value; None for a right one."""
    if wanted := mistyped(flag, value):
        return wanted
    if reading.arguments.last(flag.name):
        return None
    if not _are_choices(flag, value):
        return f"one of {', '.join(flag.choices)}"
    return out_of_bounds(flag, value)


def _are_choices(flag: Flag, value: str) -> bool:
    return all(is_choice(flag, word) for word in (value.split() if flag.nargs else [value]))


def _variables(reading: Reading) -> Iterator[tuple[Flag, Variable, str]]:
    """The variables that give defaults, with their values where they are known."""
    for flag in reading.program.flags.values():
        variable = reading.environment.get(flag.env) if flag.env else None
        if variable and variable.value is not None and not unresolved(variable.value):
            yield flag, variable, variable.value


@rule(
    "R016",
    "variable-not-a-choice",
    Severity.WARNING,
    source=f"{SOURCE}; argparse compares no default with the choices",
    bad="""
    # frontend flags removed
    --router-mode
    ---
    # frontend env
    DYN_ROUTER_MODE: kv-aware
    """,
    good="""
    # frontend flags removed
    --router-mode
    ---
    # frontend env
    DYN_ROUTER_MODE: random
    """,
    near="""
    # frontend flags
    --router-mode random
    ---
    # frontend env
    DYN_ROUTER_MODE: kv-aware
    """,
    needs=(Need.RELEASE,),
)
def variable_not_a_choice(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A variable has a value that its flag would refuse, and nothing says so at the start.

    Choices are compared for flags only. An unknown router mode becomes round-robin; others fail
    later, when the program first uses them.
    """
    for reading in readings(deployment):
        for flag, variable, value in _variables(reading):
            if flag.env_checked or reading.arguments.last(flag.name) or _are_choices(flag, value):
                continue
            if flag.name == "--router-mode":
                told = "the frontend then routes round-robin without a word"
            else:
                told = "nothing says so until it is used"
            yield Said(
                variable,
                f"{reading.name}: {flag.name} does not take {variable.name}={value}, and {told}",
                _choice_hint(flag, value),
            )


@rule(
    "R017",
    "variable-not-a-boolean",
    Severity.WARNING,
    source="ai-dynamo wheels 1.0.2 to 1.6.1 dynamo/common/configuration/utils.py (every other text "
    "is false)",
    bad="""
    # worker env
    DYN_TRTLLM_FRONTEND_DECODING: enabled
    """,
    good="""
    # worker env
    DYN_TRTLLM_FRONTEND_DECODING: "true"
    """,
    near="""
    # worker env
    DYN_TRTLLM_FRONTEND_DECODING: "OFF"
    """,
    needs=(Need.RELEASE,),
)
def variable_not_a_boolean(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The variable of a switch holds neither a yes nor a no.

    Only true, 1, yes and on switch it on; any other text switches it off, "enabled" among them.
    """
    for reading in readings(deployment):
        for flag, variable, value in _variables(reading):
            known = value.strip().lower() in BOOLEANS
            if flag.type == "bool" and not known and not reading.arguments.last(flag.name):
                yield Said(
                    variable,
                    f"{reading.name}: {variable.name}={value} is read as false",
                    "write true or false",
                )


@rule(
    "R018",
    "flags-do-not-combine",
    Severity.ERROR,
    source=f"{SOURCE} (validate)",
    bad="""
    # worker flags
    --trtllm.stream_interval 20 --override-engine-args '{"enable_chunked_prefill":true}'
    """,
    good="""
    # worker flags
    --trtllm.stream_interval 20 --trtllm.enable_chunked_prefill true
    """,
    near="""
    # frontend flags
    --tls-cert-path /tls/tls.crt --tls-key-path /tls/tls.key
    """,
    needs=(Need.RELEASE,),
)
def flags_do_not_combine(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """Two flags cannot be given together, or one needs another that is not given.

    The program reads them all and then stops.
    """
    for reading in readings(deployment):
        for name, told, hint in _combinations(reading):
            given = reading.arguments.last(name)
            at = given.at if given else _variable_or_command(reading, name)
            yield Said(at, f"{reading.name}: {told}", hint)


def _variable_or_command(reading: Reading, name: str) -> Variable | Located[str]:
    flag = reading.program.flags[name]
    variable = reading.environment.get(flag.env) if flag.env else None
    return variable or reading.command.words[0]


def _combinations(reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Combinations that are refused: the flag to point at, what is wrong, what to do."""
    value = reading.value_of
    override = "--override-engine-args"
    if reading.arguments.dotted and value(override):
        dotted = reading.arguments.dotted[0][0].value
        yield override, f"{override} and {dotted} exclude each other", "write all as one of the two"
    cert, key = "--tls-cert-path", "--tls-key-path"
    if (value(cert) is None) != (value(key) is None):
        there, missing = (key, cert) if value(cert) is None else (cert, key)
        yield there, f"{there} is given without {missing}", f"add {missing}, or remove {there}"
    connectors = reading.arguments.last("--connector")
    if connectors and len(connectors.values) > 1:
        yield "--connector", "--connector takes one connector at most", "write none or kvbm"
    dotted_name = reading.program.name == WORKER and "." in (value("--namespace") or "")
    if dotted_name and not value("--endpoint"):
        told = "--namespace with a dot in it makes no endpoint: dyn://namespace.component.name"
        yield "--namespace", told, "write it without the dot"
