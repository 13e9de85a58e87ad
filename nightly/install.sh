#!/usr/bin/env bash
# tox, and the environment that everything runs in; nothing is installed again that is there.
set -euo pipefail

python3 -m venv .venv
.venv/bin/pip install --quiet tox
.venv/bin/tox run -q -e suite --notest
