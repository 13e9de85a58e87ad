#!/usr/bin/env bash
# Is the nightly still running? Judges the newest session of a store; exit code 2 when it is older than so many hours.
#
#   nightly/watch.sh STORE HOURS
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv
.venv/bin/pip install --quiet tox
exec .venv/bin/tox run -e report -- "$1" --max-age "$2" --fail-on never
