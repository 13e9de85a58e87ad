#!/usr/bin/env bash
# Is the nightly still running? Judges the newest session of a store; exit code 2 when it is older than so many hours, or
# when nobody can tell.
#
#   nightly/watch.sh STORE HOURS
set -euo pipefail
cd "$(dirname "$0")/.."

if (($# != 2)); then
    echo "watch: NOT JUDGED: a store and a number of hours are needed: nightly/watch.sh STORE HOURS" >&2
    exit 2
fi
if ! bash nightly/install.sh; then
    echo "watch: NOT JUDGED: the suite could not be installed" >&2
    exit 2
fi
exec .venv/bin/tox run -e report -- "$1" --max-age "$2" --fail-on never
