"""A headless Chromium spoken to over a pipe, to look at a page as a reader does: for pictures of it, and for tests.

Chromium's own protocol (`--remote-debugging-pipe`: JSON ended by a null byte on file descriptors 3 and 4) needs neither
a driver nor a library.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from reports.errors import ReportError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HOW_TO_INSTALL = "no Chromium found: apt-get install chromium (Debian), or put Chrome on the PATH"
_LONGEST_ANSWER_S = 60.0
_ON_3_AND_4 = """
import os, sys
ends = [os.dup2(int(end), free, inheritable=True) for end, free in zip(sys.argv[1:3], (100, 101))]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted, inheritable=True)
    os.close(end)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page of a running Chromium."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to_browser, self._from_browser = to_browser, from_browser
        self._number = 0
        self._buffer = b""
        self._session = ""
        self.complaints: list[str] = []
        """What the page wrote to the console as a warning or an error, and what it threw."""
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")
        self.requests: list[str] = []
        """Every address that was asked for since the page was opened."""

    def _send(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401  the protocol's own values
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        return self._wait_for(lambda answer: answer.get("id") == message["id"])

    def _wait_for(self, fits: Any) -> dict[str, Any]:  # noqa: ANN401  a predicate
        until = time.monotonic() + _LONGEST_ANSWER_S
        while time.monotonic() < until:
            answer = self._read()
            self._note(answer)
            if fits(answer):
                if "error" in answer:
                    raise ReportError(f"Chromium: {answer['error'].get('message')}")
                return dict(answer.get("result") or answer.get("params") or {})
        raise ReportError("Chromium does not answer")

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            more = os.read(self._from_browser, 1 << 20)
            if not more:
                raise ReportError("Chromium ended before it answered")
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def _note(self, answer: dict[str, Any]) -> None:
        method, params = answer.get("method"), answer.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(str(details.get("exception", {}).get("description") or details.get("text")))
        elif method == "Runtime.consoleAPICalled" and params["type"] in {"error", "warning", "assert"}:
            self.complaints.append(" ".join(str(value.get("value")) for value in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, page: Path, width: int = 1200, height: int = 900, *, dark: bool = False, medium: str = "") -> None:
        """Load a file at this size in pixels; `medium` may be "print"."""
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", media=medium, features=[scheme])
        self.complaints, self.requests = [], []
        loaded = "Page.loadEventFired"
        self._number += 1
        message = {"id": self._number, "method": "Page.navigate", "params": {"url": page.resolve().as_uri()}}
        os.write(self._to_browser, json.dumps(message | {"sessionId": self._session}).encode() + b"\0")
        self._wait_for(lambda answer: answer.get("method") == loaded)

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401  whatever the expression gives
        """Return the value of a JavaScript expression in the page.

        Raises:
            ReportError: it threw.
        """
        answer = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise ReportError(f"in the page: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def picture(self, *, whole: bool = False) -> bytes:
        """Return what is seen as PNG, or the whole page."""
        answer = self._send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(answer["data"])


def find_chromium() -> str | None:
    """Return the path of a Chromium or Chrome, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a headless Chromium and end it afterwards.

    Raises:
        ReportError: there is none, or it does not start.
    """
    program = find_chromium()
    if program is None:
        raise ReportError(HOW_TO_INSTALL)
    with ExitStack() as stack:
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        (its_input, to_browser), (from_browser, its_output) = os.pipe(), os.pipe()
        for end in (to_browser, from_browser):
            stack.callback(os.close, end)
        command = [
            sys.executable, "-c", _ON_3_AND_4, str(its_input), str(its_output), program,
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
            f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking",
        ]  # fmt: skip
        process = subprocess.Popen(  # noqa: S603  our own words and a path from PATH
            command, pass_fds=(its_input, its_output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        stack.callback(process.wait, 20)
        stack.callback(process.terminate)
        for end in (its_input, its_output):
            os.close(end)
        yield Browser(to_browser, from_browser)
