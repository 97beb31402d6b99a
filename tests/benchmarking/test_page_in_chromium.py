"""The page in a real browser: no horizontal scrolling, no text upon text, readable in the dark.

It needs Debian's package chromium (or chromium on the PATH), and is skipped without.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.benchmarking.run_report import read_report
from gptoss.benchmarking.writing_reports import rendered
from tests.benchmarking.folders_of_runs import DATA, PLAN, run_folder

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium on the PATH")
SECONDS = 120
WIDTHS = (360, 700, 1200)
# Contrast that WCAG 2.2 asks of text (1.4.3) and of marks (1.4.11).
TEXT, MARKS = 4.5, 3.0
# Measures each frame's page and writes what it found as text, which --dump-dom prints.
PROBE = """
function rgb(c){return c.match(/[\\d.]+/g).slice(0,3).map(Number)}
function light(c){
  const [r,g,b]=rgb(c).map(v=>{v/=255;return v<=.03928?v/12.92:((v+.055)/1.055)**2.4});
  return .2126*r+.7152*g+.0722*b}
function contrast(a,b){const [x,y]=[light(a),light(b)].sort((p,q)=>q-p);return (x+.05)/(y+.05)}
function measure(frame){
  const page=frame.contentDocument, view=frame.contentWindow, root=page.documentElement;
  const style=view.getComputedStyle(page.body), paper=style.backgroundColor, upon=[], outside=[];
  const series=[], small=[];
  for(const svg of page.querySelectorAll('svg.chart')){
    const edge=svg.getBoundingClientRect(); if(!edge.width) continue;
    const texts=[...svg.querySelectorAll('text')].map(t=>[t,t.getBoundingClientRect()]);
    texts.forEach(([t,a],i)=>{
      if(a.left<edge.left-1||a.right>edge.right+1||a.top<edge.top-1||a.bottom>edge.bottom+1)
        outside.push(t.textContent);
      if(a.height<9) small.push(t.textContent);
      texts.slice(i+1).forEach(([u,b])=>{
        if(a.left<b.right-1&&b.left<a.right-1&&a.top<b.bottom-4&&b.top<a.bottom-4)
          upon.push(t.textContent+' / '+u.textContent)})});
    for(const mark of svg.querySelectorAll('.mark'))
      series.push(contrast(view.getComputedStyle(mark).fill,paper));
  }
  const muted=page.querySelector('.muted'), bad=page.querySelector('.problems h2');
  return {width:frame.clientWidth, scroll:root.scrollWidth, upon, outside, small, paper,
    loaded:view.performance.getEntriesByType('resource').length,
    ink:contrast(style.color,paper), muted:contrast(view.getComputedStyle(muted).color,paper),
    bad:bad?contrast(view.getComputedStyle(bad).color,paper):99, marks:Math.min(99,...series)}}
onload=()=>{document.getElementById('found').textContent=
  JSON.stringify([...document.querySelectorAll('iframe')].map(measure))}
"""


def measured(folder: Path, pages: list[str], *, dark: bool) -> list[dict[str, Any]]:
    """What the browser shows of pages, each in every width."""
    for number, page in enumerate(pages):
        (folder / f"page-{number}.html").write_text(page, encoding="utf-8")
    frames = "".join(
        f'<iframe src="page-{number}.html" style="width:{width}px;height:900px;border:0"></iframe>'
        for number in range(len(pages))
        for width in WIDTHS
    )
    probe = folder / "probe.html"
    text = f"<!doctype html><body>{frames}<pre id=found></pre><script>{PROBE}</script>"
    probe.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--user-data-dir={folder / 'profile'}",
            "--dump-dom",
            probe.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    content: list[dict[str, Any]] = json.loads(html.unescape(found[1]))
    return content


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A comparison with all there is, a single run that failed, and many runs."""
    folder = tmp_path_factory.mktemp("runs")
    told = {"source": "a model", "confidence": "extrapolated", "points": [
        {"concurrency": 4, "tokensPerSecondPerGpu": 100.0, "ttftMs": 50.0}]}  # fmt: skip
    settings = {**PLAN["settings"], "decode.kv_cache_config.free_gpu_memory_fraction": 0.85}
    run = run_folder(folder / "after-a-change-with-a-long-name", prediction=told)
    base = run_folder(folder / "before", settings=settings, release="1.6.1")
    many = [DATA / version / "sweep" for version in ("0.10.0", "0.11.0", "0.12.0", "0.13.0")]
    reports = [
        read_report([run], base),
        read_report([DATA / "0.13.0" / "errors"]),
        read_report([*many, DATA / "0.13.0" / "errors"]),
    ]
    return [rendered(report, "html") for report in reports]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_is_readable_from_a_phone_to_a_screen(
    tmp_path: Path, pages: list[str], dark: bool
) -> None:
    seen = measured(tmp_path, pages, dark=dark)
    assert len(seen) == len(pages) * len(WIDTHS)
    for page in seen:
        assert page["scroll"] <= page["width"], page
        assert page["upon"] == []
        assert page["outside"] == []
        assert page["small"] == []
        assert page["loaded"] == 0
        assert min(page["ink"], page["muted"], page["bad"]) >= TEXT, page
        assert page["marks"] >= MARKS, page
        darkness = sum(map(int, re.findall(r"\d+", page["paper"])[:3])) < 3 * 128
        assert darkness == dark
