"""What the rules about flags say of a command line, to hold against the real parser's verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from gptoss.checking.checker import run
from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Deployment
from gptoss.facts.programs import AIPERF, newest
from gptoss.facts.world import Facts
from gptoss.rules.benchmark import command_line
from gptoss.rules.finding import Finding
from gptoss.rules.rule import RULES, Severity
from gptoss.text.command import Command, Variable
from gptoss.text.places import Located, Place
from tests.rules.examples import deployment_of, read

FACTS = Facts()
FLAG_RULES = [r for r in RULES.values() if r.id.startswith("R")]
BENCH_RULES = [r for r in RULES.values() if r.check.__module__ == command_line.__name__]
HERE = Place("command.yaml")


@cache
def deployment(release: str) -> Deployment:
    """A clean aggregated deployment on a release."""
    found = deployment_of(read(f"# release: {release}\n# worker.yaml\nstream_interval: 20\n"))
    return replace(found, benchmark=None)


def findings(
    release: str, program: str, argv: Sequence[str], env: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """What the flag rules say when one of the programs is started with these words."""
    base = deployment(release)
    variables = {name: Variable(name, value, None, HERE) for name, value in (env or {}).items()}
    words = ("python3", "-m", f"dynamo.{'trtllm' if program == 'worker' else 'frontend'}", *argv)
    command = Command(tuple(Located(word, HERE.moved(lines=n)) for n, word in enumerate(words)))
    if program == "worker":
        (worker,) = base.workers
        pod = replace(worker.pod, environment=variables)
        arguments = read_command(worker.arguments.program, command, variables)
        worker = replace(worker, arguments=arguments, pod=pod)
        base = replace(base, frontend=None, workers=(worker,))
    else:
        assert base.frontend
        assert base.frontend.arguments
        pod = replace(base.frontend.pod, environment=variables)
        arguments = read_command(base.frontend.arguments.program, command, variables)
        frontend = replace(base.frontend, arguments=arguments, pod=pod)
        base = replace(base, workers=(), frontend=frontend)
    return run(base, FACTS, FLAG_RULES).findings


def bench_findings(argv: Sequence[str]) -> tuple[Finding, ...]:
    """What the rules about aiperf's command line say when it is started with these words."""
    base = deployment_of(read("# worker.yaml\nstream_interval: 20\n"))
    assert base.benchmark
    words = ("aiperf", "profile", *argv)
    command = Command(tuple(Located(word, HERE.moved(lines=n)) for n, word in enumerate(words)))
    arguments = read_command(newest(AIPERF), command, {})
    benchmark = replace(base.benchmark, arguments=arguments)
    return run(replace(base, benchmark=benchmark), FACTS, BENCH_RULES).findings


def errors(found: Sequence[Finding]) -> list[str]:
    """The errors among findings, as text."""
    return [f"{f.rule.id} {f.message}" for f in found if f.rule.severity is Severity.ERROR]
