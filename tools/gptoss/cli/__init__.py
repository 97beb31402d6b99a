"""The command line. Each command imports what it needs, and nothing before it is called."""

from __future__ import annotations

import click

from gptoss import __version__
from gptoss.cli.bench import bench
from gptoss.cli.check import check
from gptoss.cli.inspect import images, show
from gptoss.cli.live import setup, simulate
from gptoss.cli.plan import plan
from gptoss.cli.preflight import preflight
from gptoss.cli.reference import explain, rules, schema, targets
from gptoss.cli.rehearse import rehearse
from gptoss.cli.render import render
from gptoss.cli.smoke import smoke
from gptoss.cli.status import status
from gptoss.cli.transfer import diff, import_
from gptoss.cli.tune import tune
from gptoss.cli.upgrade import upgrade
from gptoss.text import budget
from gptoss.text.deadline import TimeIsUpError, lift
from gptoss.text.errors import InputError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


# Commands by what one wants, in the order in which --help shows them.
SECTIONS = {
    "Before installing": (
        targets,
        check,
        show,
        plan,
        tune,
        images,
        bench,
        diff,
        upgrade,
        preflight,
    ),
    "Without a GPU": (simulate, rehearse, setup),
    "Writing files": (render, import_, schema),
    "While it runs": (status, smoke),
    "Reading on": (rules, explain),
}


class Commands(click.Group):
    """A group that reports input errors in one line and exits with 2."""

    def invoke(self, ctx: click.Context) -> object:
        """Runs a command."""
        try:
            with budget.run():
                return super().invoke(ctx)
        except (InputError, TimeIsUpError) as error:
            # It may ring once more while what it ended is cleaned up.
            lift()
            click.echo(f"gptoss: {error}", err=True)
            ctx.exit(2)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands in their sections."""
        width = max(len(name) for name in self.commands)
        for title, commands in SECTIONS.items():
            rows = [(str(c.name).ljust(width), c.get_short_help_str(85)) for c in commands]
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(cls=Commands, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="gptoss")
def main() -> None:
    """Checks, explains and measures deployments of gpt-oss-120b before anything is installed.

    A SOURCE is the name of a shipped target, a values file, a Kubernetes manifest, a docker compose
    file, a shell script, a Truss config.yaml, an engine file, a configuration of trtllm-serve
    disaggregated, a folder of these, or - for standard input. Manifests given together are one
    deployment; so are the engine files of prefill and decode.

    \b
    Examples:
      gptoss check
      gptoss check disagg-gb200 --set workers.decode.engine.max_batch_size=1024
      gptoss show deploy.yaml
    """  # noqa: D301 (click's mark for lines that stay as they are)


for section in SECTIONS.values():
    for command in section:
        main.add_command(command)
