#!/usr/bin/env bash
# One night, the same by hand, by cron, by a timer, by Slurm and in CI: install, measure on the required device, measure
# suspects again, judge. Ends with the job's exit code. Further arguments go to `tox run -e nightly`.
#
#   NIGHTLY_STORE    folder of runs        (default: .benchmarks)
#   NIGHTLY_DEVICE   device that must be there; empty: none (default: cuda)
#   NIGHTLY_OPTIONS  further options, separated by spaces   (default: none)
set -euo pipefail
cd "$(dirname "$0")/.."

options=(--benchmark-storage "${NIGHTLY_STORE:-.benchmarks}")
device=${NIGHTLY_DEVICE-cuda}
if [[ -n $device ]]; then
    options+=(--require-device "$device")
fi
read -ra further <<< "${NIGHTLY_OPTIONS:-}"

python3 -m venv .venv
.venv/bin/pip install --quiet tox
exec .venv/bin/tox run -e nightly -- "${options[@]}" "${further[@]}" "$@"
