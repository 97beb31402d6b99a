"""Colours and lines of drawings, light and dark, as classes of a style sheet."""

from __future__ import annotations

import re

FONT_SIZE = 12
SERIES = 6
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#57606a",
    "grid": "#d8dee4",
    "bad": "#c6262e",
    "shade": "#eef1f4",
    "s0": "#0062a3",
    "s1": "#c04e00",
    "s2": "#00795a",
    "s3": "#a3417f",
    "s4": "#6f5b00",
    "s5": "#5b5bd6",
}
DARK = {
    "paper": "#14181d",
    "ink": "#e8ecf1",
    "muted": "#a3adb8",
    "grid": "#343b44",
    "bad": "#ff7b80",
    "shade": "#20262d",
    "s0": "#62b5f5",
    "s1": "#ff9f5c",
    "s2": "#43d3a5",
    "s3": "#f08fc7",
    "s4": "#e0c341",
    "s5": "#aaa8ff",
}
# A class s0 to s5 is the series whose colour --c is.
RULES = {
    "text": f"""font:{FONT_SIZE}px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;"""
    "fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px",
    ".muted": "fill:var(--muted)",
    ".end": "text-anchor:end",
    ".middle": "text-anchor:middle",
    ".strong": "font-weight:600",
    ".grid": "stroke:var(--grid)",
    ".axis": "stroke:var(--muted)",
    ".shade": "fill:var(--shade)",
    ".bad": "fill:var(--bad)",
    ".line": "fill:none;stroke:var(--c);stroke-width:2",
    ".thin": "stroke-width:1.25",
    ".dashed": "stroke-dasharray:6 4",
    ".dotted": "stroke-dasharray:2 3",
    ".mark": "fill:var(--c);stroke:var(--paper);stroke-width:1.5",
    ".hollow": "fill:var(--paper);stroke:var(--c);stroke-width:2",
    ".front": "fill:none;stroke:var(--muted);stroke-width:1.5;stroke-dasharray:5 4",
    ".of": "fill:var(--c)",
    ".faint": "fill:var(--paper);stroke:var(--c);stroke-width:1",
    ".room": "fill:var(--grid)",
    ".limit": "stroke:var(--bad);stroke-width:2",
}


def variables(colours: dict[str, str]) -> str:
    """Colours as variables, which ``MARKS`` asks for."""
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


MARKS = "".join(f"svg.chart {what}{{{how}}}" for what, how in RULES.items()) + "".join(
    f"svg.chart .s{n}{{--c:var(--s{n})}}" for n in range(SERIES)
)
# Of a picture that stands alone.
STYLE = (
    f"svg.chart{{{variables(LIGHT)}background:var(--paper)}}"
    f"@media(prefers-color-scheme:dark){{svg.chart{{{variables(DARK)}}}}}{MARKS}"
)


def without_variables(colours: dict[str, str]) -> str:
    """The style in one set of colours, for what knows no variables."""
    plain = [
        (f"{what}.s{n}", how.replace("--c)", f"--s{n})")) if "--c)" in how else (what, how)
        for what, how in RULES.items()
        for n in (range(SERIES) if "--c)" in how else (0,))
    ]
    rules = "".join(f"{what}{{{how}}}" for what, how in plain)
    return re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], rules)
