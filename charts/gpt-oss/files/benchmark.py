"""Runs aiperf, once or for every step of a concurrency sweep, and judges what it measured.

    benchmark.py [--target FILE] aiperf profile …
    benchmark.py [--target FILE] --sweep 32,64,128 [--rounds 5] aiperf profile …

A step sends its concurrency times the rounds, after as many warm-up requests as its concurrency,
all with prompts of their own. Each run gets a new folder below --artifact-dir: plan.json before it
starts (what FILE says of the target, and the command lines), what aiperf writes, for a sweep in a
folder a step, and outcome.json.

Exits with 1 when a request failed, answers are not as long as asked, fewer requests were in flight
than asked or nothing was measured; with 128 and the signal's number when it was stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

OPTIONS = ("--target", "--sweep", "--rounds")
FOLDER = "--artifact-dir"
SUMMARY, RECORDS = "profile_export_aiperf.json", "profile_export.jsonl"
SENT = ("effectiveConcurrency", "requests", "errors")
# What of aiperf's summary stands in each table, in milliseconds where it is time.
SERVED = {"requests/s": "request_throughput", "good/s": "goodput"}
RATES = {
    "tokens/s": "output_token_throughput",
    "total tokens/s": "total_token_throughput",
    "tokens/s/user": "output_token_throughput_per_user",
    "tokens/s/request": "e2e_output_token_throughput",
}
# benchmark_serving calls ITL TPOT, and ICL ITL.
WAITS = (
    {"TTFT": "time_to_first_token", "E2EL": "request_latency"},
    {"ITL": "inter_token_latency", "ICL": "inter_chunk_latency"},
)
STATISTICS = {"mean": "avg", "p50": "p50", "p99": "p99"}
# Share of the answers that may have another length, and of the concurrency that must be reached.
OTHER_LENGTHS, IN_FLIGHT = 0.01, 0.9
# Below so many seconds the first and the last requests weigh too much to judge by concurrency.
SHORT = 30
# Seconds in which aiperf writes what it has when it is stopped; docker kills after ten.
GRACE = 8
SECRET = re.compile(r"(?i)((?:authorization|x-api-key|api-key|cookie)\s*:).*")


def split(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The script's own options, and the command that follows them."""
    options = {}
    while len(words) > 1 and words[0] in OPTIONS:
        options[words[0]] = words[1]
        words = words[2:]
    return options, words


def steps(words: list[str]) -> list[list[str]]:
    """The aiperf command lines that the script's arguments stand for, in their order.

    Words of the command keep their position; what a step adds comes after them.
    """
    options, command = split(words)
    if "--sweep" not in options:
        return [command]
    rounds = int(options.get("--rounds", 5))
    listed = [int(concurrency) for concurrency in options["--sweep"].split(",")]
    return [_step(command, place, concurrency, rounds) for place, concurrency in enumerate(listed)]


def _step(command: list[str], place: int, concurrency: int, rounds: int) -> list[str]:
    requests = concurrency * rounds
    warmup = int(value(command, "--warmup-request-count") or concurrency)
    step = {
        "--concurrency": str(concurrency),
        "--request-count": str(requests),
        "--warmup-request-count": str(warmup),
        "--num-dataset-entries": value(command, "--num-dataset-entries") or str(requests + warmup),
        FOLDER: f"{value(command, FOLDER)}/concurrency-{concurrency}",
    }
    if seed := value(command, "--random-seed"):
        # The same seed gives the same prompts, and the KV cache still holds those of the last step.
        step["--random-seed"] = str(int(seed) + place)
    return with_values(command, step)


def value(command: list[str], flag: str) -> str | None:
    """What a command line gives a flag."""
    return command[command.index(flag) + 1] if flag in command else None


def number(command: list[str], flag: str) -> int:
    """The whole number that a command line gives a flag, or 0."""
    text = value(command, flag) or ""
    return int(text) if text.isdigit() else 0


def with_values(command: list[str], values: dict[str, str]) -> list[str]:
    """A command line with other values of some flags; a flag that is not there comes last."""
    words = list(command)
    for flag, text in values.items():
        if flag in words:
            words[words.index(flag) + 1] = text
        else:
            words += [flag, text]
    return words


class Runner:
    """Runs one command after the other; SIGINT and SIGTERM end the one that runs.

    Attributes:
        stopped: Number of the signal that came, or 0.
    """

    def __init__(self) -> None:
        self.stopped = 0
        self._process: subprocess.Popen[bytes] | None = None
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, self._stop)
        signal.signal(signal.SIGALRM, lambda *_: self._send(signal.SIGKILL))

    def run(self, command: list[str]) -> int:
        """Runs a command to its end and gives its exit code."""
        try:
            # In a session of its own a terminal's Ctrl-C reaches it once, from here.
            self._process = subprocess.Popen(command, start_new_session=True)
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
            return 127
        if self.stopped:
            self._send(signal.SIGINT)
        code = self._process.wait()
        signal.alarm(0)
        # aiperf that is killed leaves processes behind.
        self._send(signal.SIGKILL)
        return code if code >= 0 else 128 - code

    def _stop(self, signum: int, _frame: object) -> None:
        # On SIGINT aiperf writes what it measured so far; on SIGTERM it drops it.
        self._send(signal.SIGKILL if self.stopped else signal.SIGINT)
        self.stopped = signum
        signal.alarm(GRACE)

    def _send(self, signum: int) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signum)


def summary_of(folder: Path) -> tuple[dict[str, Any], str]:
    """What aiperf measured in a step, and what is wrong with the file."""
    path = folder / SUMMARY
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, f"nothing was measured: there is no {path}"
    except ValueError:
        return {}, f"nothing was measured: {path} is cut off or no JSON"
    return (found, "") if isinstance(found, dict) else ({}, f"{path} is no summary of aiperf")


def metric(summary: dict[str, Any], tag: str, statistic: str = "avg") -> float | None:
    """One number of a summary."""
    found = summary.get(tag)
    read = found.get(statistic) if isinstance(found, dict) else None
    return read if isinstance(read, (int, float)) else None


def ended_in(summary: dict[str, Any], folder: Path) -> tuple[int, Counter[str]]:
    """Requests that ended, and the causes of those that failed."""
    causes: Counter[str] = Counter()
    if summary:
        for each in summary.get("error_summary") or []:
            causes[_cause(each["error_details"])] += each["count"]
        failed = int(metric(summary, "error_request_count") or 0)
        if failed > causes.total():
            causes["aiperf names no cause"] += failed - causes.total()
        return int(metric(summary, "request_count") or 0) + causes.total(), causes
    ended, path = 0, folder / RECORDS
    # When every request fails aiperf leaves nothing but the records.
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        with contextlib.suppress(ValueError):  # the last line of a run that was killed
            record = json.loads(line)
            if record["metadata"].get("benchmark_phase") != "warmup":
                ended += 1
                causes.update([_cause(record["error"])] if record.get("error") else [])
    return ended, causes


def _cause(error: dict[str, Any]) -> str:
    """An error in one line, with the server's own message."""
    message = str(error.get("message") or "")
    with contextlib.suppress(ValueError, KeyError, TypeError):
        message = json.loads(message)["message"]
    kind = " ".join(str(part) for part in (error.get("code"), error.get("type")) if part)
    return " ".join(f"{kind}: {message}".split())[:200]


def judged(command: list[str], folder: Path, wrong: list[str]) -> tuple[Any, dict[str, Any]]:
    """A step as outcome.json has it, and its summary. Takes what already is wrong with it.

    Of the runs that --num-profile-runs makes, it is the one with the most problems.
    """
    runs = sorted(folder.glob("profile_runs/run_*")) or [folder]
    found = [(judge(command, run, wrong), summary_of(run)[0]) for run in runs]
    return max(found, key=lambda each: len(each[0]["problems"]))


def judge(command: list[str], folder: Path, wrong: list[str]) -> Any:
    """A run of a step as outcome.json has it."""
    summary, missing = summary_of(folder)
    wrong = [*wrong, missing] if missing else wrong
    ended, causes = ended_in(summary, folder)
    failed, asked = causes.total(), number(command, "--request-count")
    other = int(metric(summary, "osl_mismatch_count") or 0)
    problems = [*wrong, *([f"{failed} of {ended} requests failed"] if failed else [])]
    if summary and asked not in (0, ended):
        problems.append(f"{ended} requests ended, {asked} were asked")
    problems += _lengths(command, summary, other, ended - failed)
    # Requests that fail end at once, so there are fewer beside the others.
    problem, note = ("", "") if failed or wrong else _in_flight(command, summary)
    return {
        "concurrency": number(command, "--concurrency"),
        "requests": ended - failed,
        "errors": failed,
        "lengthMismatches": other,
        "effectiveConcurrency": _effective(summary),
        "complete": bool(summary) and not summary.get("was_cancelled") and asked in (0, ended),
        "problems": [*problems, *([problem] if problem else [])],
        "notes": [note] if note else [],
        "causes": [{"count": count, "cause": cause} for cause, count in causes.most_common()],
    }


def _lengths(command: list[str], summary: dict[str, Any], other: int, answers: int) -> list[str]:
    if other > OTHER_LENGTHS * answers:
        return [f"{other} of {answers} answers are not as long as asked"]
    asked = number(command, "--output-tokens-mean")
    average = metric(summary, "output_sequence_length")
    varied = value(command, "--output-tokens-stddev") not in (None, "0")
    if not asked or average is None or varied or abs(average - asked) <= OTHER_LENGTHS * asked:
        return []
    return [f"answers have {average:.1f} tokens on average, {asked} were asked"]


def _effective(summary: dict[str, Any]) -> float | None:
    """Requests in flight on average; by Little's law where aiperf does not say it."""
    latency, rate = metric(summary, "request_latency"), metric(summary, "request_throughput")
    little = latency * rate / 1000 if latency and rate else None
    return metric(summary, "effective_concurrency") or little


def _in_flight(command: list[str], summary: dict[str, Any]) -> tuple[str, str]:
    """A problem or a note, when fewer requests were in flight than asked."""
    asked, effective = number(command, "--concurrency"), _effective(summary)
    seconds = metric(summary, "benchmark_duration")
    if effective is None or not seconds or effective >= IN_FLIGHT * asked:
        return "", ""
    said = f"{effective:.1f} requests were in flight on average, {asked} were asked"
    if seconds < SHORT:
        return "", f"{said}: {seconds:.1f} s are too short to judge by that"
    # While the last requests run, none take the places of those that end before them.
    last = (metric(summary, "request_latency", "max") or 0) / 1000
    if effective >= IN_FLIGHT * asked * (1 - last / seconds):
        rounds = number(command, "--request-count") / asked
        return "", f"{said}: {rounds:g} rounds are few, and in the last places stay empty"
    return f"{said}: the client, the network or a limit of connections held them back", ""


def table(done: list[tuple[Any, dict[str, Any]]]) -> str:
    """What each step measured, a line a step: counts, rates, and what one waits for."""
    sent = [["concurrency", "effective", "answered", "failed", *SERVED]]
    rates = [["concurrency", *RATES]]
    waits = [
        ["concurrency", *(f"{n} {s} ms" for n in names for s in STATISTICS)] for names in WAITS
    ]
    tables = [sent, rates, *([head] for head in waits)]
    for step, summary in done:
        at = step["concurrency"]
        rows = [
            [at, *(step[key] for key in SENT), *(metric(summary, tag) for tag in SERVED.values())],
            [at, *(metric(summary, tag) for tag in RATES.values())],
            *(
                [at, *(metric(summary, t, s) for t in names.values() for s in STATISTICS.values())]
                for names in WAITS
            ),
        ]
        for rows_of, row in zip(tables, rows, strict=True):
            rows_of.append(["-" if n is None else f"{n:.2f}".removesuffix(".00") for n in row])
    return "\n".join(map(_columns, tables))


def _columns(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def new_folder(base: Path, plan: object) -> Path:
    """A new folder for a run, named by its time and its plan: equal plans end equally."""
    digest = hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:8]
    while True:
        folder = base / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{digest}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            time.sleep(1)
        else:
            return folder


def write(path: Path, content: dict[str, Any]) -> None:
    """Writes JSON, whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


def plan_of(known: dict[str, Any], commands: list[list[str]], folder: Path) -> dict[str, Any]:
    """What plan.json says. Takes what is known of the target."""
    versions = {"aiperf": _version(commands[0][0]), "python": platform.python_version()}
    return {
        "version": 1,
        **known,
        "started": now(),
        "argv": [_without_secrets(command) for command in commands],
        "steps": [
            {
                "concurrency": number(command, "--concurrency"),
                "requests": number(command, "--request-count") or None,
                "warmup": number(command, "--warmup-request-count"),
                "folder": os.path.relpath(value(command, FOLDER) or folder, folder),
            }
            for command in commands
        ],
        "versions": {"gptoss": None, **known.get("versions", {}), **versions},
    }


def now() -> str:
    """The time in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _without_secrets(command: list[str]) -> list[str]:
    words = [SECRET.sub(r"\1 ***", word) for word in command]
    return with_values(words, {"--api-key": "***"}) if "--api-key" in words else words


def _version(program: str) -> str | None:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    found = re.search(r"\d+\.\d+\.\S+", said.stdout)
    return found[0] if found else None


def main(words: list[str]) -> int:
    """Runs every step and gives the exit code; a step that measures nothing ends a sweep."""
    runner = Runner()
    options, command = split(words)
    target = options.get("--target")
    known = json.loads(Path(target).read_text(encoding="utf-8")) if target else {}
    folder = new_folder(Path(value(command, FOLDER) or "artifacts"), [known, words])
    own = words[: len(words) - len(command)]
    commands = steps([*own, *with_values(command, {FOLDER: str(folder)})])
    plan = plan_of(known, commands, folder)
    write(folder / "plan.json", plan)
    print(f"results go to {folder}", flush=True)
    done: list[tuple[Any, dict[str, Any]]] = []
    for command, step in zip(commands, plan["steps"], strict=True):
        asked = f"concurrency {step['concurrency']}, {step['requests']} requests"
        print(f"step {len(done) + 1} of {len(commands)}: {asked}", flush=True)
        code = runner.run(command)
        stopped = runner.stopped and f"it was stopped by {signal.Signals(runner.stopped).name}"
        wrong = [stopped or f"aiperf ended with exit code {code}"] if stopped or code else []
        step, summary = judged(command, folder / step["folder"], wrong)
        done.append((step, summary))
        causes = [f"  {each['count']} x {each['cause']}" for each in step["causes"][:5]]
        print("\n".join([table(done[-1:]), *step["problems"], *causes, *step["notes"]]), flush=True)
        if code or not summary or runner.stopped:
            break
    if len(commands) > 1:
        print(f"{len(done)} of {len(commands)} steps\n{table(done)}", flush=True)
    code = 128 + runner.stopped if runner.stopped else int(any(s["problems"] for s, _ in done))
    outcome = {"version": 1, "finished": now(), "code": code, "steps": [step for step, _ in done]}
    write(folder / "outcome.json", outcome)
    print(f"results are in {folder}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
