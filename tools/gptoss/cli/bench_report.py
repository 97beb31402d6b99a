"""``gptoss bench report``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from gptoss.cli.options import price_options
from gptoss.cli.printing import give, say, tell

FOR_PEOPLE = ("text", "markdown")
UNPREDICTED = (
    "its engine was simulated, or it has not kept a GPU, lengths and settings that can be predicted"
)


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", type=click.Path())
@click.option(
    "--baseline", metavar="FOLDER", type=click.Path(), help="Hold the runs against this one."
)
@click.option(
    "--gpus",
    metavar="N|ROLES",
    help="GPUs of runs without a plan, as in 8 or prefill=1,decode=4.",
)
@click.option(
    "--predicted",
    is_flag=True,
    help="Hold runs against a prediction, whose data are fetched first; else where they are here.",
)
@price_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv", "markdown", "html"]),
    default=None,
    help="Form of the report; what --output ends with, else text.",
)
@click.option(
    "--output",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="File to write, or a folder for Markdown; its pictures lie beside it.",
)
def report(
    folders: tuple[str, ...],
    baseline: str | None,
    gpus: str | None,
    predicted: bool,
    prices: dict[str, float],
    form: str | None,
    output: Path | None,
) -> None:
    """Reports benchmark runs: rates a GPU, latencies, errors, and what differs.

    A FOLDER is a run of `gptoss bench run`, a folder of such runs, artifacts of aiperf 0.10 to
    0.13, or results of TensorRT-LLM's benchmark_serving (the folder or one file). A run that kept
    its settings stands beside what `gptoss plan` predicts of them.

    \b
    Examples:
      gptoss bench report results
      gptoss bench report results/after --baseline results/before
      gptoss bench report results --predicted
      gptoss bench report results --price gb200=10.5
      gptoss bench report artifacts --gpus prefill=1,decode=4 --output report.html
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.benchmarking.foretold import foretold
    from gptoss.benchmarking.gpus import parsed
    from gptoss.benchmarking.run_report import read_report
    from gptoss.benchmarking.writing_reports import form_of, write

    chosen = form_of(form, output)
    found = read_report(
        [Path(folder) for folder in folders],
        Path(baseline) if baseline else None,
        parsed(gpus) if gpus else None,
    )
    found = replace(foretold(found, fetch=predicted), prices=prices)
    for run in found.runs:
        if predicted and not run.plan.prediction:
            tell(f"{run.name}: nothing is predicted, for {UNPREDICTED}")
    text = write(found, chosen, output)
    if text is not None:
        (say if chosen in FOR_PEOPLE else give)(text)
