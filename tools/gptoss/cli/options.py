"""Options that commands share."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gptoss.cli.completion import files_like, gpus_like, overlays_like, releases_like, sources_like
from gptoss.text import deadline

if TYPE_CHECKING:
    from collections.abc import Callable


def _form(*forms: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option that says in which form a command prints; text unless it is given."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default="text",
        show_default=True,
        help="Form of the output.",
    )


text_or_json = _form("text", "json")
text_json_or_junit = _form("text", "json", "junit")


def allow_read_option(command: Callable[..., None]) -> Callable[..., None]:
    """The option that lets inputs name files of more folders."""

    @functools.wraps(command)
    def with_allowed(*arguments: Any, allow_read: tuple[Path, ...], **others: Any) -> None:
        from gptoss.text.bounds import allowing

        with allowing(allow_read):
            command(*arguments, **others)

    option = click.option(
        "--allow-read",
        multiple=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        shell_complete=files_like,
        help="Folder outside whose files the sources may name; may be repeated.",
    )
    return option(with_allowed)


name_option = click.option(
    "--name", metavar="NAME", help="Name of the Helm release that targets are rendered as."
)


def cluster_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say where a cluster is asked, given as ``context`` and ``namespace``."""
    namespace = click.option(
        "-n", "--namespace", metavar="NS", help="Namespace to look in; else that of the context."
    )
    context = click.option(
        "--context", metavar="C", help="Context of the kubeconfig; else the current one."
    )
    return namespace(context(command))


def timeout_option(command: Callable[..., None]) -> Callable[..., None]:
    """The option that says how long a command may take."""

    @functools.wraps(command)
    def in_time(*arguments: Any, timeout: float, **others: Any) -> None:
        with deadline.within(timeout):
            command(*arguments, **others)

    return click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True),
        default=lambda: deadline.SECONDS,
        show_default=f"{deadline.SECONDS:g}",
        help="Time for all of it; of what runs for long by design, for reading alone.",
    )(in_time)


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say which deployments to read, and how long that may take."""
    return timeout_option(request_options(command))


def request_options(command: Callable[..., None]) -> Callable[..., None]:
    """The argument and options that say which deployments to read; given as one request."""

    @functools.wraps(command)
    def with_request(
        sources: tuple[str, ...],
        files: tuple[str, ...],
        release: str | None,
        gpu: str | None,
        gpus: int | None,
        roles: tuple[str, ...],
        name: str | None,
        **others: Any,
    ) -> None:
        from gptoss.sources.chart.set_arguments import SET, STRENGTH, SetArgument
        from gptoss.sources.request import Request

        given = {flag: others.pop(flag[2:].replace("-", "_")) for flag in STRENGTH}
        settings = given.pop(SET)
        typed = tuple(SetArgument(flag, text) for flag in given for text in given[flag])
        request = Request(sources, files, settings, release, gpu, gpus, roles, name, typed)
        command(request, **others)

    options = (
        click.argument("sources", nargs=-1, metavar="[SOURCE]...", shell_complete=sources_like),
        click.option(
            "-f",
            "--values",
            "files",
            multiple=True,
            metavar="FILE",
            shell_complete=overlays_like,
            help="Values file laid over each target; may be repeated.",
        ),
        _set("--set", "KEY=VALUE", "Value laid over each target, as in helm; may be repeated."),
        _set("--set-string", "KEY=TEXT", "The same, always as text."),
        _set("--set-json", "KEY=JSON", "The same, as JSON."),
        _set("--set-file", "KEY=FILE", "The same, as the text of a file."),
        name_option,
        click.option(
            "--release",
            metavar="R",
            shell_complete=releases_like,
            help="Read it as if it ran on this release.",
        ),
        click.option(
            "--gpu",
            metavar="GPU",
            shell_complete=gpus_like,
            help="GPU of an engine file alone, as in b200.",
        ),
        click.option("--gpus", type=click.IntRange(1), help="GPUs of an engine file alone."),
        click.option(
            "--role",
            "roles",
            multiple=True,
            type=click.Choice(["aggregated", "prefill", "decode"]),
            help="Role of an engine file alone; of several once for each, in their order.",
        ),
        allow_read_option,
    )
    result: Callable[..., None] = with_request
    for option in reversed(options):
        result = option(result)
    return result


def price_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what GPUs cost; given as ``prices``, dollars an hour by kind of GPU."""

    @functools.wraps(command)
    def with_prices(
        *arguments: Any, price: tuple[str, ...], price_file: Path | None, **others: Any
    ) -> None:
        prices: dict[str, float] = {}
        if price or price_file:
            from gptoss.planning.costs.prices import prices_of

            prices = prices_of(price, price_file)
        command(*arguments, prices=prices, **others)

    one = click.option(
        "--price",
        multiple=True,
        metavar="GPU=DOLLARS",
        help="Dollars an hour of one GPU, as in gb200=10.5; may be repeated.",
    )
    file = click.option(
        "--prices",
        "price_file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        shell_complete=files_like,
        help="YAML file with prices, a line a GPU: `gb200: 10.5`.",
    )
    result: Callable[..., None] = one(file(with_prices))
    return result


def _set(flag: str, metavar: str, told: str) -> Callable[[Any], Any]:
    """An option of Helm's that sets single values."""
    return click.option(flag, multiple=True, metavar=metavar, help=told)
