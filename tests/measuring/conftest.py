"""Little suites run in this process load no plug-in but the one that times: every other costs half a second a run."""

import pytest


@pytest.fixture(autouse=True)
def lean_pytester(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "pytester" in request.fixturenames:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        monkeypatch.setenv("PYTEST_PLUGINS", "pytest_benchmark.plugin")
