"""``gptoss render``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gptoss.cli.options import source_options
from gptoss.cli.printing import give, say
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.sources.request import Request

FORMS = ("manifests", "kustomize", "compose", "shell", "truss", "values")
PARTS = ("frontend", "prefill", "decode", "server", "download", "smoke", "bench", "accuracy")


@click.command()
@source_options
@click.option("--as", "form", type=click.Choice(FORMS), required=True, help="Form to write.")
@click.option("--part", metavar="PART", help=f"One part of a shell script: {', '.join(PARTS)}.")
@click.option(
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder to write to; a form of one file goes to standard output without it.",
)
@click.option("--force", is_flag=True, help="Replace files that gptoss render did not write.")
def render(request: Request, form: str, part: str | None, folder: Path | None, force: bool) -> None:
    """Writes a target in another form: manifests, compose, a script.

    To use it without this chart or without Kubernetes. manifests is what Helm would apply;
    kustomize the same as a base and an overlay; compose a docker compose file with its engine
    files; shell a launch script to run inside the runtime container; values the complete values
    that the target comes to; truss the config.yaml from which Baseten serves it.

    \b
    Examples:
      gptoss render disagg-b200 --as compose --output compose/
      gptoss render disagg-b200 --as shell --part decode
      gptoss render eval-tp8-b200 --as shell --part accuracy
      gptoss render agg-gb200 --as manifests --release 1.3.1 | kubectl apply -f -
      gptoss render agg-gb200 -f mine.yaml --as values > complete.yaml
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.rendering import render_as
    from gptoss.rendering.withheld import holds_secret
    from gptoss.rendering.writing import write

    rendered = render_as(form, request, part, folder)
    for note in rendered.notes:
        say(f"note: {note}", err=True)
    if folder is not None:
        for path in write(rendered, folder, force=force):
            say(str(path))
    elif len(rendered.files) == 1:
        ((name, text),) = rendered.files.items()
        if holds_secret(text):
            raise InputError(
                f"{name} would hold a secret in plain text, which is not printed; name a Secret "
                "for it, or write to a folder: --output DIR"
            )
        give(text, nl=False)
    else:
        names = ", ".join(rendered.files)
        raise InputError(f"--as {form} has several files ({names}); say where: --output DIR")
