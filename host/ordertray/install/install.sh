#!/bin/sh
# Installs the order tray's host as a service, or brings it up to date: system packages, environment, service.
#
#   sudo sh install.sh [OPTIONS] [SOURCE]
#
# SOURCE is the release's .whl file, or the folder of a clone; left out: the .whl beside this script, else its clone.
#   --dry-run        say what would be done, do nothing
#   --no-service     stop before `ordertray install` (a card being prepared: `ordertray install --root` does the rest)
#   --wheels FOLDER  no network: take every Python package from this folder (filled by `pip download`, see README.md)
#   --extras LIST    parts of the program, else web,labels,nfc,flash,sim
#   --gpio WAY       GPIO library from: apt, pip, none; else as this board needs it
#   --model TEXT     another board's name than this one's (/proc/device-tree/model)
#   --uninstall      take everything back; games and an edited configuration stay (with --purge they go too)
#
# Everything of Python goes to /opt/ordertray, an environment of its own that sees Debian's packages too. The last two
# wheels stay in /opt/ordertray/wheels: to go back, name the older one as SOURCE.
set -eu

target=/opt/ordertray
link=/usr/local/bin/ordertray
system_python=/usr/bin/python3
extras=web,labels,nfc,flash,sim
gpio=auto wheels='' source='' dry='' service=yes uninstall='' purge=''
model=''
[ ! -r /proc/device-tree/model ] || model=$(tr -d '\0' </proc/device-tree/model)

say() { printf 'order tray: %s\n' "$*"; }
fail() { printf 'order tray: %s\n' "$*" >&2; exit 2; }
run() {
  say "+ $*"
  [ -n "$dry" ] || "$@" || fail "this command failed: $*"
}

while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=yes ;;
    --no-service) service='' ;;
    --uninstall) uninstall=yes ;;
    --purge) purge=--purge ;;
    --wheels | --extras | --gpio | --model)
      [ $# -gt 1 ] || fail "$1 wants a value"
      case $1 in
        --wheels) wheels=$2 ;;
        --extras) extras=$2 ;;
        --gpio) gpio=$2 ;;
        --model) model=$2 ;;
      esac
      shift ;;
    -h | --help) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) fail "no such option: $1 (--help lists them)" ;;
    *) [ -z "$source" ] || fail "one source only: $source or $1"; source=$1 ;;
  esac
  shift
done
case $gpio in auto | apt | pip | none) ;; *) fail "--gpio $gpio: it is one of apt, pip, none" ;; esac
[ -n "$dry" ] || [ "$(id -u)" = 0 ] || fail "it changes the system: run it as root (sudo sh $0)"

if [ -n "$uninstall" ]; then
  [ -x "$target/bin/ordertray" ] || fail "nothing is installed in $target"
  # shellcheck disable=SC2086  # an option or nothing
  [ ! -d /run/systemd/system ] || run "$target/bin/ordertray" uninstall $purge
  [ "$(readlink "$link" 2>/dev/null)" != "$target/bin/ordertray" ] || run rm "$link"
  run rm -r "$target"
  say "system packages stay: other programs may use them"
  exit 0
fi

# What is installed: a wheel, or a clone of which one is made.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -z "$source" ]; then
  for found in "$here"/ordertray-*.whl; do
    [ -e "$found" ] || continue
    [ -z "$source" ] || fail "more than one wheel lies in $here: name the one to install"
    source=$found
  done
fi
[ -n "$source" ] || { source=$(CDPATH='' cd -- "$here/../../.." && pwd); }
case $source in
  *.whl) [ -f "$source" ] || fail "$source: there is no such file" ;;
  *) [ -f "$source/pyproject.toml" ] && [ -d "$source/host/ordertray" ] ||
      fail "$source is neither a .whl file nor a clone of the order tray: name one (--help)" ;;
esac
[ -z "$wheels" ] || [ -d "$wheels" ] || fail "--wheels $wheels: there is no such folder"

# What Debian has to give first.
installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
available() { installed "$1" || LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

packages='python3 python3-venv'
# A system from which nobody has installed anything yet knows no packages.
if command -v apt-get >/dev/null && ! available python3-venv; then run apt-get update --quiet; fi
case $model in
  'Raspberry Pi 5'* | 'Raspberry Pi Compute Module 5'*) choice='python3-rpi-lgpio' library=pi5 ;;
  # rpi-lgpio serves them too; what is there already is kept.
  'Raspberry Pi'*) choice='python3-rpi.gpio python3-rpi-lgpio' library=pi ;;
  *) choice='' library=pi; [ "$gpio" != auto ] || gpio=none ;;
esac
! installed python3-rpi-lgpio || choice='python3-rpi-lgpio'
if [ "$gpio" = auto ] || [ "$gpio" = apt ]; then
  chosen=''
  for package in ${choice:-python3-rpi-lgpio python3-rpi.gpio}; do
    [ -n "$chosen" ] || ! available "$package" || chosen=$package
  done
  [ -n "$chosen" ] || [ "$gpio" = auto ] || fail "Debian has no package of these here: ${choice:-python3-rpi-lgpio}"
  if [ -n "$chosen" ]; then packages="$packages $chosen" gpio=apt; else gpio=pip; fi
fi
if [ "$gpio" = pip ]; then
  # RPi.GPIO comes as source only, lgpio has no wheel for every Python: they are compiled here.
  packages="$packages gcc libc6-dev python3-dev"
  if [ "$library" = pi5 ]; then
    packages="$packages swig"
    export PYPI=1 # lgpio's own word for: with its C library inside
  fi
  extras="$extras,$library"
fi

say "installs $source into $target"
say "board: ${model:-no Raspberry Pi}; GPIO library: $([ "$gpio" = apt ] && echo "$chosen" || echo "$gpio")"
if command -v dpkg-query >/dev/null; then
  missing=''
  for package in $packages; do installed "$package" || missing="$missing $package"; done
  say "needs from the system: $packages"
  if [ -n "$missing" ]; then
    # shellcheck disable=SC2086  # a list
    run apt-get install --yes --no-install-recommends $missing
  fi
else
  say "no Debian here: make sure that $system_python can make environments (its venv module)"
fi
if [ -x "$system_python" ]; then
  "$system_python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "needs Python 3.11 or newer, $system_python is $("$system_python" -V 2>&1)"
else
  [ -n "$dry" ] || fail "there is no $system_python: install Python 3.11 or newer first"
fi

# The environment. One that is there is kept; pip changes it only once it has everything it needs.
if [ ! -x "$target/bin/python3" ] || ! grep -qs '^include-system-site-packages = true' "$target/pyvenv.cfg"; then
  run "$system_python" -m venv --clear --system-site-packages "$target"
elif ! "$target/bin/python3" -c 'import pip' 2>/dev/null; then
  # Another Python than when it was made (a new release of Debian).
  run "$system_python" -m venv --clear --system-site-packages "$target"
fi
pip() {
  verb=$1
  shift
  if [ -n "$wheels" ]; then set -- --no-index --find-links "$wheels" "$@"; fi
  run "$target/bin/python3" -m pip --disable-pip-version-check --quiet "$verb" "$@"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $source in
  *.whl) wheel=$source ;;
  *)
    pip wheel --no-deps --wheel-dir "$work" "$source"
    wheel=$(ls "$work"/ordertray-*.whl 2>/dev/null || echo "$work/ordertray-VERSION.whl") ;;
esac
# Only one of the two GPIO libraries may be there, and Debian's is seen only where pip has put none.
for name in RPi.GPIO rpi-lgpio; do
  case $gpio-$library-$name in pip-pi-RPi.GPIO | pip-pi5-rpi-lgpio) continue ;; esac
  [ "$gpio" != none ] && [ -x "$target/bin/python3" ] || continue
  at=$("$target/bin/python3" -c 'import importlib.metadata as m, sys; print(m.distribution(sys.argv[1]).locate_file(""))' \
    "$name" 2>/dev/null) || continue
  case $at in "$target"/*) run "$target/bin/python3" -m pip uninstall --quiet --yes "$name" ;; esac
done
# First whatever it needs, then itself, even where the version is the same.
pip install --upgrade --upgrade-strategy only-if-needed "$wheel[$extras]"
pip install --force-reinstall --no-deps "$wheel"
if [ -z "$dry" ]; then
  mkdir -p "$target/wheels"
  [ "$(dirname "$wheel")" = "$target/wheels" ] || cp "$wheel" "$target/wheels/"
  touch "$target/wheels/$(basename "$wheel")"
  # shellcheck disable=SC2012  # names of wheels hold nothing odd
  ls -t "$target"/wheels/*.whl | tail -n +3 | while read -r old; do rm "$old"; done
fi
if [ -L "$link" ] || [ ! -e "$link" ]; then run ln -sf "$target/bin/ordertray" "$link"; fi

if [ -n "$service" ] && [ ! -d /run/systemd/system ]; then
  say "installed, without the service: there is no systemd here; start by this system's own means: ordertray run"
elif [ -n "$service" ]; then
  run "$target/bin/ordertray" install
  say "installed. Next: sudoedit /etc/ordertray/ordertray.toml, then: ordertray doctor"
else
  say "installed, without the service: $target/bin/ordertray install"
fi
