"""Wiring only: which modules hold the suite's options, hooks and fixtures."""

pytest_plugins = [
    "fixtures.options",
    "fixtures.selection",
    "fixtures.timeouts",
    "fixtures.told_warnings",
    "fixtures.machine_info",
    "fixtures.exports",
    "fixtures.baseline",
    "fixtures.memory",
    "fixtures.saving",
    "fixtures.datasets",  # after saving: what comes later is asked first, and wrong data must leave no run
    "fixtures.display",
    "fixtures.devices",
    "fixtures.timing",
    "fixtures.control",
    "fixtures.proof",
    "fixtures.measuring",
    "fixtures.trainings",
    "fixtures.lessons",
    "fixtures.calls",
    "fixtures.harness",
    "fixtures.distributed",
    "fixtures.primitives",
    "fixtures.ablations",
    "fixtures.plugins",  # last: of several that come first, pytest asks the last one first
]
