"""``gptoss bench`` and its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gptoss.cli.bench_report import report
from gptoss.cli.bench_run import run
from gptoss.cli.options import source_options, text_or_json
from gptoss.cli.printing import put

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from gptoss.sources.request import Request


class Bench(click.Group):
    """A group whose words are those of ``show`` when the first of them names no command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts ``show`` before words that name no command; completion of the first sees both."""
        completing_first = ctx.resilient_parsing and not args
        if not completing_first and (not args or args[0] not in {*self.commands, "-h", "--help"}):
            args = ["show", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, with what ``show`` completes."""
        show = self.commands["show"]
        if incomplete.startswith("-"):
            return show.shell_complete(ctx, incomplete)
        (sources,) = (param for param in show.params if isinstance(param, click.Argument))
        found = sources.shell_complete(ctx, incomplete)
        return [*super().shell_complete(ctx, incomplete), *found]

    def collect_usage_pieces(self, _ctx: click.Context) -> list[str]:
        """What may follow the command's name."""
        return ["[show]", "[OPTIONS]", "[SOURCE]...", "|", "COMMAND", "[ARGS]..."]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options of ``show`` before the commands."""
        self.commands["show"].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=Bench)
def bench() -> None:
    """Shows what the benchmark sends; COMMANDs run it and report it.

    \b
    Examples:
      gptoss bench disagg-gb200 --explain
      gptoss bench disagg-gb200 --format json
    """  # noqa: D301 (click's mark for lines that stay as they are)


@bench.command()
@source_options
@text_or_json
@click.option("--explain", is_flag=True, help="Say what a client in production does otherwise.")
def show(request: Request, form: str, explain: bool) -> None:
    """Shows what the benchmark sends, and how it follows from the GPUs (the default).

    Example: gptoss bench show disagg-gb200
    """
    from gptoss.sources.load import load

    loaded = load(request)
    from gptoss.showing.bench import as_json, as_text

    render = as_json if form == "json" else as_text
    put(render(loaded.deployments, explain), form)


bench.add_command(run)
bench.add_command(report)
