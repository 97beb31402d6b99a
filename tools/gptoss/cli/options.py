"""Options and colours that commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

COLOURS = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "blue", "bold": True},
    "ok": {"fg": "green"},
    "place": {"bold": True},
    "caret": {"fg": "green", "bold": True},
    "hint": {"fg": "cyan"},
}

text_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)


def paint(text: str, style: str) -> str:
    """Colours a text; click drops colours where the output is no terminal."""
    colours = COLOURS.get(style, {})
    return click.style(text, **colours) if colours else text  # type: ignore[arg-type]


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """The argument and options that say which deployments to read."""
    options = (
        click.argument("sources", nargs=-1, metavar="[SOURCE]..."),
        click.option(
            "-f",
            "--values",
            "files",
            multiple=True,
            metavar="FILE",
            help="Values file laid over each target; may be repeated.",
        ),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            help="Value laid over each target, as in helm; may be repeated.",
        ),
        click.option("--release", metavar="R", help="Read it as if it ran on this release."),
    )
    for option in reversed(options):
        command = option(command)
    return command
