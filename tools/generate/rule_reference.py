"""The rule reference under docs/rules: an index and one page a rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.rules.rule import ANY, DYNAMO, RULES, SERVE, Severity

if TYPE_CHECKING:
    from gptoss.deployment.model import Runtime
    from gptoss.rules.evidence import Seen
    from gptoss.rules.rule import Rule

FOLDER = Path("docs/rules")
NOTE = "<!-- Generated from tools/gptoss/rules by `make generate`; do not edit. -->"
SEVERITIES = {
    Severity.ERROR: "the engine, the operator or the API server refuses it, or it cannot work",
    Severity.WARNING: "it works, but not as its author meant",
    Severity.INFO: "another way saves money or time",
}
NAMES: dict[tuple[Runtime, ...], str] = {DYNAMO: "Dynamo", SERVE: "`trtllm-serve`"}
FIXES = """\
Where the column *fix* says yes, `gptoss check --fix` makes those changes that have one right
answer, and `--diff` shows them."""
FIXABLE = "Fix: `gptoss check --fix` makes the change where there is one right answer."
FORM = """\
The examples are run as tests. Each is laid over a clean deployment: a disaggregated one of TP1
prefill and TP4 decode workers on GB200; where a part is called `worker`, an aggregated one of TP4
with attention data parallelism; where one is called `server` or `service`, a Deployment of
`trtllm-serve` with TP4 and its Service. Parts are separated by `---`, and the comment that a part
begins with says what it is laid over; with `and`, as in `# prefill.yaml and decode.yaml`, it is
laid over each:

| comment | the part |
|---|---|
| `# decode.yaml`, `# prefill.yaml`, `# worker.yaml` | is merged over that worker's engine YAML |
| `# decode.yaml lines` | stands in it as written, in place of the keys that it has |
| `# decode.yaml text` | replaces it |
| `# decode`, `# prefill`, `# worker`, `# frontend` | is merged over that component, in `v1alpha1` |
| `# decode pod`, `# decode container` | is merged over its pod, its container |
| `# decode flags` | is added to its arguments, in place of flags that it gives anew |
| `# decode flags removed` | names flags that are removed |
| `# decode env` | is merged into its environment |
| `# decode script` | is what `sh -c` runs in its place; `{command}` is what ran before |
| `# graph` | is merged over the DynamoGraphDeployment |
| `# server`, `# service`, `# server.yaml` | is merged over that Deployment, Service, engine YAML |
| `# benchmark`, `# download` | is merged over that Job |
| `# accuracy` | is merged over a Job of gpt_oss.evals, which is there only then |
| `# claim`, `# config` | is merged over the claim of the cache, the ConfigMap of the engine YAML |
| `# server flags`, `# download pod`, … | as above, also of the server and of Jobs |
| `# document` | is one more manifest |
| `# servers` | is merged over a configuration of `trtllm-serve disaggregated` on GB200 |
| `# compose` | is merged over a compose file with the same workers, prefill TP4 too, on 8 B200 |
| `# values` | is a values file over a shipped target |
| `# release`, `# application` | is merged over a HelmRelease of Flux, an Application of Argo CD |

Null removes a key, and lists of named things are merged by name. What an example does not say
follows from what it says: CUDA graphs cover max_batch_size, the benchmark counts the GPUs that
there are, keeps as many requests in flight as the workers decode at once, and sends ten times as
many; names follow the name of the graph.

`# gpu:`, `# release:` and `# api:` choose the GPU of every worker, the Dynamo release and the API
version; `# decode gpus:` how many GPUs a pod of that worker asks for; `# also:` names other rules
that the example fires. `# against:` compares it with the clean deployment, as if that were
installed, and with the parts whose comment begins with `installed`, as in `# installed decode`,
laid over it.
"""


def rule_reference() -> dict[Path, str]:
    """Texts by path: the index, and a page for every rule."""
    pages = {FOLDER / f"{rule.id}.md": _page(rule) for rule in RULES.values()}
    return {FOLDER / "README.md": _index(), **pages}


def _index() -> str:
    lines = [NOTE, "", "# Rules", ""]
    lines += [f"* **{level.word}**: {meaning}." for level, meaning in SEVERITIES.items()]
    lines += ["", FIXES]
    families = {rule.family for rule in RULES.values()}
    for family in sorted(families, key=lambda family: family.order):
        question = family.question[0].upper() + family.question[1:]
        rules = sorted(rule.id for rule in RULES.values() if rule.family is family)
        lines += ["", f"## {family.letter}: {family.name}", "", question, ""]
        lines += ["| rule | severity | fix | finds |", "|---|---|---|---|"]
        lines += [_row(RULES[identifier]) for identifier in rules]
    return "\n".join([*lines, "", "## The form of the examples", "", FORM])


def _row(rule: Rule) -> str:
    summary = rule.summary.replace("|", r"\|").replace("``", "`")
    severity, fix = rule.severity.word, "yes" if rule.fixable else ""
    return f"| [{rule.id}]({rule.id}.md) `{rule.name}` | {severity} | {fix} | {summary} |"


def _page(rule: Rule) -> str:
    parts = [
        NOTE,
        f"# {rule.id}: {rule.name}",
        f"**{rule.severity.word}**: {rule.summary.replace('``', '`')}",
        rule.reason.replace("``", "`"),
        _evidence(rule),
        FIXABLE if rule.fixable else "",
        _example("Bad", rule.bad),
        _example("Good", rule.good),
        _example("Near miss, not reported", rule.near),
        _runtimes(rule),
        _needs(rule),
        "[All rules](README.md)",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _evidence(rule: Rule) -> str:
    evidence = rule.evidence
    lines = ["## Evidence", ""]
    if evidence.holds:
        lines += [f"It holds for {evidence.holds.text}, and says nothing elsewhere.", ""]
    lines += [f"* {_seen(seen)}" for seen in evidence.seen]
    lines += [f"* Inferred from {evidence.inferred}"] if evidence.inferred else []
    return "\n".join(lines)


def _seen(seen: Seen) -> str:
    said = f"`{seen.says}`" if seen.is_quote else seen.says
    return f"{seen.where}: {said}{f' ({seen.span.text})' if seen.span else ''}"


def _example(title: str, text: str) -> str:
    return f"## {title}\n\n```yaml\n{text}\n```" if text else ""


def _runtimes(rule: Rule) -> str:
    if rule.runtimes == ANY:
        return ""
    return f"About deployments of {NAMES[rule.runtimes]} only."


def _needs(rule: Rule) -> str:
    reasons = "; ".join(need.value for need in rule.needs)
    return f"Not applied where it lacks what it needs to know: {reasons}." if reasons else ""
