"""Attacks on what is printed: names with control characters, commands for a runner, secrets."""

from __future__ import annotations

import shlex
import string
from typing import TYPE_CHECKING

import yaml

from fuzz.contents import PLANTED, Files, Source
from fuzz.seeds import compose
from fuzz.sizes import size
from tests.sources.manifest_examples import ALPHA, ENGINE

if TYPE_CHECKING:
    from random import Random

NAMES = (
    f"a\n::stop-commands::{PLANTED}\n::add-mask::{PLANTED}\n",
    f"##[add-matcher]{PLANTED}",
    f"\r::add-mask::{PLANTED}",
    f"%0A::add-mask::{PLANTED}",
    "\x1b]0;owned\x07\x1b[2J",
    "\x9b31m",
    "\u202eevil\u2066",
    "a\u2028b\u2029c",
    "x$(touch ../outside/ran)",
    "`touch ../outside/ran`",
    "'; touch ../outside/ran; '",
    '"; touch ../outside/ran; "',
    "x: y #",
    "- x",
    "${HOME} $$",
    "{{ .Files.Get }}",
    "../../outside/x",
    "<script>alert(1)</script>",
    "]]>&x;",
    "x" * 300,
    "",
)


def names(random: Random) -> Source:
    """Names of models, workers, objects and keys that mean something where they are printed."""
    name = random.choice(NAMES)
    quoted = yaml.safe_dump(name, width=10**9).partition("\n...")[0].strip()
    form = random.randrange(5)
    if form == 0:
        old = random.choice(
            ("name: gpt-oss", "Prefill:", "registry/runtime:1.2.1", "LEVEL", "prefill\n")
        )
        end = ":" * old.endswith(":")
        text = f"{ENGINE}---\n{ALPHA}".replace(old, _after_colon(old, quoted) + end, 1)
        return Source("", {"deploy.yaml": text.encode(errors="replace")}, ("deploy.yaml",))
    if form == 1:
        content = compose()
        content["services"][name] = content["services"].pop("decode")
        content["services"][name]["command"] = ["trtllm-serve", name, f"--{name}", name]
        text = yaml.safe_dump(content, sort_keys=False)
        return Source("", {"compose.yaml": text.encode(errors="replace")}, ("compose.yaml",))
    if form == 2:
        text = (
            f"max_batch_size: 8\n{quoted}: 1\nkv_cache_config: {{{quoted}: 2, dtype: {quoted}}}\n"
        )
        return Source("", {"decode.yaml": text.encode(errors="replace")}, ("decode.yaml",))
    if form == 3:
        key = random.choice(("model.servedName", "model.id", "model.revision", "nameOverride"))
        form_of = random.choice(("compose", "shell", "manifests", "values"))
        argv = ("render", "agg-gb200", "--as", form_of, "--set-string", f"{key}={name}")
        return Source("", {"x": b""}, (), argv=tuple(word.replace("\0", "") for word in argv))
    word = "'" + name.replace("'", "'\\''") + "'"
    line = f"trtllm-serve openai/gpt-oss-120b --served_model_name {word} --{word} # {name}\n"
    return Source("", {"serve.sh": line.encode(errors="replace")}, ("serve.sh",))


def secrets(random: Random) -> Source:
    """Tokens of the common issuers, passwords in addresses, flags and variables."""
    tail = "".join(random.choice(string.ascii_letters + string.digits) for _ in range(36))
    tokens = (
        f"hf_{tail}",
        f"nvapi-{tail}",
        f"ghp_{tail}",
        f"gho_{tail}",
        f"github_pat_{tail}",
        f"glpat-{tail[:20]}",
        f"xoxb-{tail}",
        f"sk-{tail}",
        f"AKIA{tail[:16].upper()}",
    )
    token = random.choice(tokens)
    plain = f"Hunter2{tail[:8]}"
    variable = random.choice(("DB_PASSWORD", "API_KEY", "HF_TOKEN", "MY_SECRET", "AUTHORIZATION"))
    lines = (
        (f"--api-key {plain}", plain),
        (f"--password={plain}", plain),
        (f"--hub-token {plain}", plain),
        (f"--tp_size https://user:{plain}@host/x", plain),
        (f"--header 'Authorization: Bearer {plain}'", plain),
        (f"--max_batch_size {token}", token),
        (f"--x {token}", token),
    )
    words, secret = random.choice(lines)
    form = random.randrange(4)
    files: Files
    if form == 0:
        text = f"export {variable}={plain}\n{variable}={plain} trtllm-serve m --port 8000 {words}\n"
        return Source("", {"serve.sh": text.encode()}, ("serve.sh",), (secret, plain))
    if form == 1:
        content = compose()
        content["services"]["decode"]["environment"] = {variable: plain, "X": token}
        content["services"]["decode"]["command"] += shlex.split(words)
        text = yaml.safe_dump(content, sort_keys=False)
        return Source(
            "", {"compose.yaml": text.encode()}, ("compose.yaml",), (secret, plain, token)
        )
    if form == 2:
        env = f"{{name: {variable}, value: {plain}}}\n            - {{name: X, value: {token}}}"
        text = ALPHA.replace("{name: LEVEL, value: container}", env, 1)
        text = text.replace("--max-batch-size 32", words)
        files = {"deploy.yaml": f"{ENGINE}---\n{text}".encode()}
        return Source("", files, ("deploy.yaml",), (secret, plain, token))
    text = f"max_batch_size: {token}\nenv_overrides: {{{variable}: {plain}}}\nx: {words!r}\n"
    return Source("", {"decode.yaml": text.encode()}, ("decode.yaml",), (token, plain, secret))


def suppressions(random: Random) -> Source:
    """Comments that silence very many rules, or rules that there are not."""
    count = size(random, 1, 4000)
    rules = ", ".join(f"{random.choice('abDEKMX')}{random.randrange(10_000)}" for _ in range(count))
    word = random.choice(("ignore", "ignore-file", "ignoree", "ignore-next"))
    because = random.choice(
        ("", " because x", " because", f" because {'x' * size(random, 1, 50_000)}")
    )
    comment = f"# gptoss: {word} {rules}{because}"
    lines = size(random, 1, 300) if count < 30 else 1
    if random.random() < 0.4:
        text = f"trtllm-serve m --port 8000 --x {comment}\n" + f"{comment}\n" * lines
        return Source("", {"serve.sh": text.encode()}, ("serve.sh",))
    text = f"max_batch_size: 8 {comment}\nx: 1\n" + f"{comment}\n" * lines
    return Source("", {"decode.yaml": text.encode()}, ("decode.yaml",))


def _after_colon(old: str, quoted: str) -> str:
    """A name in quotes in place of the one that ends a text."""
    before, space, _ = old.rpartition(" ")
    return f"{before}{space}{quoted}"
