#!/usr/bin/env bash
# Installs what `make hardware` needs on Debian 12 or 13: KiCad 9, graphviz, librsvg, poppler, ngspice, and the
# Python tools of requirements.txt in build/hardware-venv (on the system's Python, for KiCad's module). Quiet; a second run finds everything and does nothing.
#
#   hardware/install-tools.sh           install what is missing
#   hardware/install-tools.sh --check   only say what is missing (status 1 if anything is)
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/hardware-venv
stamp=$venv/.requirements
say() { echo "hardware tools: $*"; }

kicad_is_9() { command -v kicad-cli >/dev/null && [[ "$(kicad-cli version 2>/dev/null)" == 9.* ]]; }
libraries_are_there() { [[ -d /usr/share/kicad/symbols && -d /usr/share/kicad/footprints ]]; }
python_is_ready() { [[ -f $stamp ]] && cmp -s "$stamp" hardware/requirements.txt; }

missing=()
kicad_is_9 || missing+=("KiCad 9 (kicad-cli)")
libraries_are_there || missing+=("KiCad's symbols and footprints")
/usr/bin/python3 -c 'import pcbnew' 2>/dev/null || missing+=("pcbnew for /usr/bin/python3")
command -v dot >/dev/null || missing+=("graphviz")
command -v rsvg-convert >/dev/null || missing+=("librsvg2-bin")
command -v pdftoppm >/dev/null || missing+=("poppler-utils")
command -v ngspice >/dev/null || missing+=("ngspice")
python_is_ready || missing+=("$venv")
if [[ ${#missing[@]} -eq 0 ]]; then say "all there"; exit 0; fi
say "missing: $(IFS=,; echo "${missing[*]}")"
[[ "${1:-}" == --check ]] && exit 1

as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(sudo)
apt() {
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq -o=Dpkg::Use-Pty=0 -o=DPkg::Lock::Timeout=600 "$@" \
    2> >(grep -v '^debconf:' >&2)
}

# Debian 12 has KiCad 6 in main; 9 comes from its backports. The archive is the one this machine already
# uses: apt itself says which, so no address is written here.
enable_backports() {
  local codename archive list=/etc/apt/sources.list.d/ordertray-backports.sources
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  [[ -f $list ]] && return
  archive=$(apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)' \
    | awk -v release="$codename" '$1 == "Packages" && $2 == release && $3 == "main" { print $4; exit }')
  [[ -n $archive ]] || { say "apt knows no archive for $codename: run 'apt-get update' first"; exit 1; }
  "${as_root[@]}" tee "$list" >/dev/null <<SOURCES
Types: deb
URIs: $archive
Suites: $codename-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
}

packages=(graphviz librsvg2-bin poppler-utils ngspice python3-venv)
apt update
release=()
if ! kicad_is_9; then
  if ! apt-cache policy kicad | grep -q 'Candidate: 9\.'; then
    enable_backports
    apt update
    release=(-t "$(. /etc/os-release && echo "$VERSION_CODENAME")-backports")
  fi
  # Not kicad-packages3d: five gigabytes that only a prettier rendering needs.
  apt install --no-install-recommends "${release[@]}" kicad kicad-symbols kicad-footprints >/dev/null
fi
apt install --no-install-recommends "${packages[@]}" >/dev/null

if ! python_is_ready; then
  # On the system's Python, and seeing its packages: KiCad's pcbnew module comes with that one only.
  rm -rf "$venv"
  mkdir -p build
  /usr/bin/python3 -m venv --system-site-packages "$venv"
  "$venv/bin/python" -m pip install -qq --disable-pip-version-check -r hardware/requirements.txt
  cp hardware/requirements.txt "$stamp"
fi
say "installed"
