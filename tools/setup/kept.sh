# shellcheck shell=bash
# What is kept in the user's cache is what was put there: its SHA-256 stands beside it. Sourced by the
# scripts that keep something.

# The SHA-256 of a file, or of a folder by all that lies in it.
sum_of() {
  if [[ -d $1 ]]; then
    (
      cd "$1" || exit
      find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
      find . -type l -printf '%p %l\n' | LC_ALL=C sort
    ) | sha256sum
  else
    sha256sum <"$1"
  fi | cut -d ' ' -f 1
}

# Note what something is, when it was just made.
record() {
  sum_of "$1" >"$1.sha256.$$"
  mv -f "$1.sha256.$$" "$1.sha256"
}

# Whether something is kept and what it was. What has no record yet gets one, what is another than it
# was is removed, and both are said.
is_kept() {
  [[ -e $1 ]] || return 1
  if [[ ! -f $1.sha256 ]]; then
    echo "${1##*/} was kept without its SHA-256: trusted as it is, and noted" >&2
    record "$1"
  elif [[ $(sum_of "$1") != "$(<"$1.sha256")" ]]; then
    echo "${1##*/} is not what was kept, by its SHA-256: made anew" >&2
    rm -rf "$1"
    return 1
  fi
}
