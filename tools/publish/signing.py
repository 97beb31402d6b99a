"""The key that signs a release."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Key:
    """A secret key of a keyring.

    Attributes:
        name: Its first user id, as Helm asks for it.
        fingerprint: Its fingerprint, in capitals.
    """

    name: str
    fingerprint: str


def signing_key(keyring: Path, wanted: str) -> Key:
    """The one secret key of a keyring that a part of its user id, or its fingerprint, means.

    Args:
        keyring: A file that ``gpg --export-secret-keys`` has written.
        wanted: A part of a user id, or the end of a fingerprint.

    Raises:
        InputError: The keyring cannot be read, or holds no such key, or several.
    """
    if not keyring.is_file():
        raise InputError(
            f"KEYRING: {keyring} is not there; write it with "
            f"`gpg --export-secret-keys YOUR_KEY >{keyring}`"
        )
    keys = _secret_keys(keyring)
    end = wanted.replace(" ", "").upper()
    fits = [key for key in keys if wanted in key.name or key.fingerprint.endswith(end)]
    if not wanted or len(fits) != 1:
        known = ", ".join(f"{key.name} ({key.fingerprint})" for key in keys) or "no secret key"
        raise InputError(f"KEY: name one key of {keyring}, by user id or fingerprint: {known}")
    return fits[0]


def sign(path: Path, keyring: Path, key: Key, passphrase: Path | None) -> Path:
    """Signs a file; returns the signature, in a file of its own beside it.

    Args:
        path: The file.
        keyring: The file with the secret key.
        key: The key.
        passphrase: File with the key's passphrase, if it has one.

    Raises:
        InputError: GnuPG does not sign.
    """
    signature = path.with_name(f"{path.name}.asc")
    secret = ("--passphrase-file", str(passphrase)) if passphrase else ("--passphrase", "")
    loopback = ("--batch", "--yes", "--pinentry-mode", "loopback", *secret)
    make = ("--local-user", key.fingerprint, "--armor", "--output", str(signature))
    with tempfile.TemporaryDirectory(prefix="gptoss-gpg-") as home:
        try:
            _gpg(home, *loopback, "--import", str(keyring))
            _gpg(home, *loopback, *make, "--detach-sign", str(path))
        finally:
            # The agent that keeps the key ends with the folder.
            subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
    return signature


def _gpg(home: str, *words: str) -> None:
    done = subprocess.run(
        ["gpg", "--homedir", home, *words], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise InputError(f"gpg does not sign: {done.stderr.strip()}")


def _secret_keys(keyring: Path) -> list[Key]:
    """Every secret key of a keyring."""
    with tempfile.TemporaryDirectory(prefix="gptoss-gpg-") as home:
        show = ("--batch", "--no-autostart", "--with-colons", "--show-keys", str(keyring))
        try:
            done = subprocess.run(
                ["gpg", "--homedir", home, *show],
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise InputError("gpg is needed to read the key that signs; install GnuPG") from None
    if done.returncode != 0:
        raise InputError(f"KEYRING: {keyring} is no file of `gpg --export-secret-keys`")
    keys: list[Key] = []
    fingerprint = ""
    for kind, *fields in (line.split(":") for line in done.stdout.splitlines()):
        if kind in ("sec", "pub"):
            fingerprint = "" if kind == "sec" else "public"
        elif kind == "fpr" and not fingerprint:
            fingerprint = fields[8]
        elif kind == "uid" and fingerprint not in ("", "public"):
            keys.append(Key(fields[8], fingerprint))
            fingerprint = "public"
    return keys
