#!/usr/bin/env bash
# One night, the same by hand, by cron, by a timer, by Slurm and in CI: install, measure on the required device, measure
# suspects again, judge. Ends with the job's exit code, or with 2 where the suite could not be installed, so that 1 is
# never anything but slower or failed cases. Further arguments go to `tox run -e nightly`.
#
#   NIGHTLY_STORE    folder of runs        (default: .benchmarks)
#   NIGHTLY_DEVICE   device that must be there; empty: none (default: cuda)
#   NIGHTLY_OPTIONS  further options, separated by spaces or line ends   (default: none)
set -euo pipefail
cd "$(dirname "$0")/.."

options=(--benchmark-storage "${NIGHTLY_STORE:-.benchmarks}")
device=${NIGHTLY_DEVICE-cuda}
if [[ -n $device ]]; then
    options+=(--require-device "$device")
fi
if [[ -n ${NIGHTLY_OPTIONS:-} ]]; then
    read -rd '' -a further <<< "$NIGHTLY_OPTIONS" || true # its code tells that the text ended
    options+=("${further[@]}")
fi

# A night that is still running would be measured as a neighbour. The lock is held until this process ends.
mkdir -p .tox
exec 9> .tox/nightly.lock
if command -v flock > /dev/null && ! flock --nonblock 9; then
    echo "nightly: NOT MEASURED: another night still runs in this folder" >&2
    exit 2
fi
if ! bash nightly/install.sh; then
    echo "nightly: NOT MEASURED: the suite could not be installed" >&2
    exit 2
fi

# A scheduler's signal may reach this shell alone (Slurm), and tox passes it to nobody: everything that it started gets
# it here, and the time to save its run.
night='' stopped='' code=0
# shellcheck disable=SC2329 # the traps call it
pass_on() {
    stopped=SIG$1
    [[ -z $night ]] || kill -s "$1" -- "-$night" 2> /dev/null || true
}
trap 'pass_on TERM' TERM
trap 'pass_on HUP' HUP
trap 'pass_on INT' INT
set -m
.venv/bin/tox run -e nightly -- "${options[@]}" "$@" < /dev/null &
night=$!
set +m
wait "$night" || code=$?
if [[ -n $stopped ]]; then
    while kill -0 -- "-$night" 2> /dev/null; do
        sleep 0.2
    done
    echo "nightly: STOPPED by $stopped" >&2
fi
exit "$code"
