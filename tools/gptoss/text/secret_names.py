"""Which names hold a secret: of variables, keys, flags and headers.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import re
from functools import lru_cache


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The words of a name: DB_PASSWORD, dbPassword, --db-password, X-Api-Key.
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
ALWAYS = {
    "passphrase",
    "password",
    "passwords",
    "passwd",
    "apikey",
    "authorization",
    "credential",
    "credentials",
    "accesskey",
    "secretkey",
    "privatekey",
    "sshkey",
    "identitytoken",
    "authtoken",
    "accesstoken",
}
# Secret only as the last word, behind another one: PWD alone is a folder.
LAST = {"pass", "private", "pwd"}
ALONE = {"auth", "bearer"}
# What stands last in the name of something about a secret, which is none itself.
ABOUT = _set(
    "arn class count dir directory enabled endpoint env expiration expiry field file files "
    "folder format header host hint id ids kind length limit limits location lock manager mode "
    "mount name names namespace optional param path paths policy port prefix provider reader "
    "ref refs region required rotation schema server size source store suffix template timeout "
    "ttl type types uri url usage user username version volume"
)
# Words beside which "token" is a piece of text.
OF_TEXT = _set(
    "begin bos budget chunk classification cls completion context count cost decode draft "
    "embedding end eos first generated generation id ids image input inter latency length limit "
    "limits logits mask max min new next num number output pad per prefill probs prompt rate "
    "reasoning sampled sep space special start stop string throughput time tool type unk usage"
)
# Words before "key" that make it the key of a map, of a cache or of the public.
NO_LOCK = _set(
    "action annotation block by cache config context count data dict encoding entry event field "
    "file foreign group hash header hot host index item kv label lookup map mapping message "
    "metadata metric node object order parent partition path pod prefix primary property public "
    "registry request ref resource routing row rule schema search selector server session shard "
    "sort statistics store taint template topology tuple type unique value values"
)
# Words before "secret" that make it a text. Else it is a Secret of Kubernetes, named in camels or
# with dashes: tokenSecret, hf-token-secret.
SPOKEN = {"app", "auth", "client", "consumer", "cookie", "hmac", "jwt", "shared", "webhook"}


@lru_cache(maxsize=4096)
def names_secret(name: str) -> bool:
    """Whether something of this name holds a secret: ``DB_PASSWORD``, ``--api-key``, ``authToken``.

    Names of what is about secrets or only sounds like them do not: ``max_tokens``, ``tokenizer``,
    ``secretName``, ``sort-key``, ``HF_TOKEN_PATH``.
    """
    name = name[-200:]
    words = [word.lower() for word in WORDS.findall(name)]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in ("value", "plain", "data")):
        words.pop()
    if not words or words[-1] in ABOUT:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "secret" and before and not name.startswith("-") and "_" not in name:
        return before in SPOKEN
    return (
        any(word in ALWAYS or word.endswith("password") for word in words)
        or "secret" in words
        or (last in LAST and bool(before))
        or (len(words) == 1 and last in ALONE)
        or ("token" in words and not OF_TEXT.intersection(words))
        or (last in ("key", "keys") and bool(before) and before not in NO_LOCK)
    )
