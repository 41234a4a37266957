#!/bin/sh
# Makes this checkout ready to run: tools/setup.sh report | test
#   system packages   only those missing, with apt, as root or through sudo
#   .venv             from the lock file, hashes required; redone when the lock changes
# Needs Python 3.11 or newer (PYTHON=python3.12 chooses another). Without the rights to install what
# is missing it stops before any work and prints the one line an administrator must run. Pango alone
# is no reason to stop a report: HTML and JSON do without, and derive says so.
set -eu
cd "$(dirname "$0")/.."
goal=${1:-report}
python=${PYTHON:-python3}
say() { echo "setup: $*" >&2; }

has_library() { "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null; }
has_command() { command -v "$1" >/dev/null 2>&1; }
venv_works() {  # runs, and was made here: its scripts name the folder
  .venv/bin/python -c 'import pip' 2>/dev/null && grep -qF "$(pwd -P)/.venv/" .venv/bin/pip 2>/dev/null
}

case $goal in
  report) lock=requirements.lock ;;
  test) lock=requirements-dev.lock ;;
  *) say "report or test, not $goal"; exit 2 ;;
esac
has_command "$python" || { say "Python 3.11 or newer is needed: apt-get install -y python3 python3-venv"; exit 2; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  { say "Python 3.11 or newer is needed, $python is $("$python" -V 2>&1)"; exit 2; }

# What the machine lacks: `needed` stops everything, `pdf` only the PDF.
needed= pdf=
if [ "$(uname -s)" = Linux ]; then
  venv_works || "$python" -c 'import ensurepip, venv' 2>/dev/null || needed="python3-venv"
  has_library libpango-1.0.so.0 || pdf="$pdf libpango-1.0-0"
  has_library libpangoft2-1.0.so.0 || pdf="$pdf libpangoft2-1.0-0"
  has_library libharfbuzz-subset.so.0 || pdf="$pdf libharfbuzz-subset0"
  if [ "$goal" = test ]; then
    has_command chromium || needed="$needed chromium"
    has_command pdftoppm || needed="$needed poppler-utils"
    has_command promtool || needed="$needed prometheus"
    has_command qpdf || needed="$needed qpdf"
    has_library libatomic.so.1 || needed="$needed libatomic1"
    needed="$needed$pdf" pdf=
  fi
elif has_command brew && ! brew list --versions pango >/dev/null 2>&1; then
  say "no PDF without Pango: brew install python pango"
fi
missing=$(echo $needed $pdf)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
no_server() {  # the tests want promtool; its package starts a server where systemd runs
  [ -d /run/systemd/system ] || return 0
  as_root systemctl disable --now prometheus >/dev/null 2>&1 || say "stop the service prometheus"
}
may_install() {  # root, or sudo that works unasked or can ask
  has_command apt-get || return 1
  [ "$(id -u)" = 0 ] && return 0
  has_command sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }
}
if [ -n "$missing" ]; then
  line="apt-get install -y $missing"
  has_command apt-get || line="your system's installer for what Debian calls $missing"
  if may_install; then
    say "installing $missing"
    as_root apt-get update -qq &&
      as_root env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
      { [ -z "$needed" ] || exit 2; say "not installed: $pdf; the report comes without PDF"; }
    case " $missing " in *" prometheus "*) no_server ;; esac
  elif [ -n "$needed" ]; then
    say "an administrator must run: $line"
    exit 2
  else
    say "no PDF until an administrator runs: $line"
  fi
fi

# The stamp holds what the environment was made from; the one for tests serves reports too.
made_from() { cat "$1" pyproject.toml | cksum; }
is_ready() { venv_works && [ "$(cat ".venv/.stamp-$1" 2>/dev/null)" = "$(made_from "$2")" ]; }
is_ready test requirements-dev.lock && exit 0
is_ready "$goal" "$lock" && exit 0

say "installing Python packages from $lock into .venv"
venv_works || "$python" -m venv --clear .venv
rm -f .venv/.stamp-*
# -qq prints errors alone: a machine's own pip settings can warn once for every package
pip_install() { .venv/bin/python -m pip install -qq --disable-pip-version-check "$@"; }
pip_install --require-hashes -r "$lock"
pip_install --no-deps --no-build-isolation -e .
made_from "$lock" >".venv/.stamp-$goal"
