"""Judge command lines by the parsers of the programs that would run them.

Started by the interpreter of an oracle environment, so that only the standard library and that
program are at hand. Reads one JSON object a line,

    {"program": "worker" | "frontend" | "aiperf" | "evals", "argv": [...], "env": {...},
     "abbreviations": false}

where `argv` is what follows `python3 -m dynamo.trtllm`, `python3 -m dynamo.frontend`,
`aiperf profile` or `python3 -m gpt_oss.evals`, and answers each with one line:

    {"ok": true, "config": {...}, "warnings": [...]}
    {"ok": false, "error": "..."}

A program that cannot be imported ends the process: that is no verdict on a command line.
"""

import argparse
import contextlib
import importlib
import io
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partialmethod
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, patch

Parser = Callable[[Sequence[str]], dict[str, Any]]


class LogMessages(logging.Handler):
    """Keeps what a parser logs."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def of(self, level: int) -> list[str]:
        return [record.getMessage() for record in self.records if record.levelno == level]


MAKE_PARSER = argparse.ArgumentParser.__init__


def allow_abbreviations(allowed: bool) -> None:
    """Make argparse take abbreviations of flags, or whole names only.

    The programs take them. Our own command lines must not rely on that: the next release may make
    a short name ambiguous.
    """
    make = partialmethod(MAKE_PARSER, allow_abbrev=allowed)
    argparse.ArgumentParser.__init__ = make  # type: ignore[assignment, method-assign]


def stand_in_for_tensorrt_llm() -> None:
    """Let dynamo.trtllm.args be imported without TensorRT-LLM.

    It only reads the defaults of four fields of tensorrt_llm.llmapi.BuildConfig.
    """
    defaults = {
        "max_batch_size": 2048,
        "max_num_tokens": 8192,
        "max_seq_len": None,
        "max_beam_width": 1,
    }
    fields = {name: SimpleNamespace(default=value) for name, value in defaults.items()}
    llmapi = ModuleType("tensorrt_llm.llmapi")
    vars(llmapi)["BuildConfig"] = SimpleNamespace(model_fields=fields)
    package = ModuleType("tensorrt_llm")
    package.__path__ = []
    vars(package)["llmapi"] = llmapi
    sys.modules.update({"tensorrt_llm": package, "tensorrt_llm.llmapi": llmapi})


def worker_parser() -> Parser:
    stand_in_for_tensorrt_llm()
    from dynamo.trtllm.args import parse_args

    return lambda argv: plain_fields(parse_args(argv))


def frontend_parser() -> Parser:
    from dynamo.frontend.frontend_args import FrontendArgGroup, FrontendConfig

    def parse(argv: Sequence[str]) -> dict[str, Any]:
        # The groups are added anew each time: they read their defaults from the environment.
        parser = argparse.ArgumentParser()
        FrontendArgGroup().add_arguments(parser)
        config = FrontendConfig.from_cli_args(parser.parse_args(argv))
        config.validate()
        return plain_fields(config)

    return parse


def aiperf_parser() -> Parser:
    from aiperf.cli_commands.profile import app
    from aiperf.config.flags.resolver import resolve_config
    from aiperf.config.loader import build_benchmark_plan

    def parse(argv: Sequence[str]) -> dict[str, Any]:
        _, bound, _ = app.parse_args(list(argv), exit_on_error=False, print_error=False)
        flags = bound.arguments["cli_config"]
        config = resolve_config(flags, flags.config_file)
        plan = build_benchmark_plan(config)
        settings: dict[str, Any] = config.model_dump(
            mode="json", exclude_unset=True, exclude_none=True
        )
        return settings | {"runs": len(plan.configs)}

    return parse


def evals_parser() -> Parser:
    """The parser of gpt_oss.evals, which is made in the function that then runs everything."""
    for module in ("blobfile", "jinja2", "numpy", "openai", "pandas", "requests", "tqdm"):
        sys.modules[module] = MagicMock()
    evals = importlib.import_module("gpt_oss.evals.__main__")

    class ParsedError(Exception):
        """Ends the program as soon as it knows its arguments."""

    read = argparse.ArgumentParser.parse_args

    def parse(argv: Sequence[str]) -> dict[str, Any]:
        def stop(parser: argparse.ArgumentParser) -> None:
            raise ParsedError(read(parser, argv))

        try:
            with patch.object(argparse.ArgumentParser, "parse_args", stop):
                evals.main()
        except ParsedError as parsed:
            return dict(vars(parsed.args[0]))
        raise RuntimeError("gpt_oss.evals parsed no arguments")

    return parse


PARSERS: dict[str, Callable[[], Parser]] = {
    "worker": worker_parser,
    "frontend": frontend_parser,
    "aiperf": aiperf_parser,
    "evals": evals_parser,
}


def plain_fields(config: object) -> dict[str, Any]:
    """Return the fields of a configuration object that JSON can say."""
    fields = {
        name: value.value if isinstance(value, Enum) else value
        for name, value in vars(config).items()
        if not name.startswith("_")
    }
    plain = (str, int, float, type(None))
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, plain)
        or (isinstance(value, list) and all(isinstance(item, plain) for item in value))
    }


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def judge(parse: Parser, argv: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer for one command line."""
    log, stderr = LogMessages(), io.StringIO()
    root = logging.getLogger()
    root.addHandler(log)
    try:
        with (
            environment(env),
            contextlib.redirect_stderr(stderr),
            warnings.catch_warnings(record=True) as warned,
        ):
            warnings.simplefilter("always")
            config = parse(argv)
    except SystemExit as exit_:
        last_line = stderr.getvalue().strip().rpartition("\n")[2]
        said = [*log.of(logging.ERROR), last_line.rpartition("error: ")[2]]
        return {"ok": False, "error": next(filter(None, said), f"exit code {exit_.code}")}
    except Exception as error:  # noqa: BLE001 -- whatever the parser raises is its verdict
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}
    finally:
        root.removeHandler(log)
    told = [*log.of(logging.WARNING), *(str(warning.message) for warning in warned)]
    return {"ok": True, "config": config, "warnings": told}


def main() -> None:
    # Answers have their own channel, so that a parser that prints its help does not garble them.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    parsers: dict[str, Parser] = {}
    for line in sys.stdin:
        question = json.loads(line)
        program = question["program"]
        if program not in parsers:
            parsers[program] = PARSERS[program]()
        allow_abbreviations(question["abbreviations"])
        answer = judge(parsers[program], question["argv"], question["env"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
