"""What the workflows promise whoever lets them run: pinned actions, few rights, nothing foreign in a shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NIGHTLY = (ROOT / ".github" / "workflows" / "nightly.yml").read_text()
SCRIPTS = sorted((ROOT / "nightly").glob("*.sh"))


def shell_lines(text: str) -> list[str]:
    """Every line that a shell gets to see."""
    lines, depth = [], None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        found = re.match(r"\s*(?:- )?run: (.*)", line)
        if found:
            depth = indent if found[1] == "|" else None
            lines += [] if found[1] == "|" else [found[1]]
        elif depth is not None and line.strip() and indent <= depth:
            depth = None
        elif depth is not None:
            lines.append(line.strip())
    return lines


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_foreign_action_is_pinned_to_a_commit_and_names_its_version(path: Path) -> None:
    used = re.findall(r"uses: (?!\./)(.*)", path.read_text())

    assert path.name == "scheduled.yml" or used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|OWNER/.*", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_expression_is_put_into_a_shell(path: Path) -> None:
    assert [line for line in shell_lines(path.read_text()) if "${{" in line] == []


def test_the_check_sees_what_a_shell_sees() -> None:
    text = (
        'steps:\n  - run: echo "${{ a }}"\n  - name: x\n    run: |\n      one\n      two\n    env:\n      A: ${{ b }}\n'
    )

    assert shell_lines(text) == ['echo "${{ a }}"', "one", "two"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_rights_are_given_by_name_and_the_machine_with_the_device_may_only_read(path: Path) -> None:
    text = path.read_text()

    assert re.search(r"^permissions:", text, re.MULTILINE)
    assert "write-all" not in text
    assert "secrets: inherit" not in text
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    measuring = re.search(r"^  measure:\n(?:    .*\n|\n)+", text, re.MULTILINE)
    assert (measuring is not None) == (path.name == "nightly.yml")
    assert measuring is None or ": write" not in measuring[0]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_night_in_progress_is_never_cut_off_by_the_next(path: Path) -> None:
    (cancels,) = re.findall(r"cancel-in-progress: (\w+)", path.read_text())

    assert cancels == ("true" if path.name == "checks.yml" else "false")


def test_labels_of_runners_stand_in_keys_and_groups_as_words() -> None:
    """A cache's key may hold no comma, and lists that differ in their blanks mean the same runner."""
    uses = re.findall(r"(?:key|keys|group): .*?inputs\.runner-labels.*", NIGHTLY)

    assert len(uses) == 4
    assert all("join(fromJSON(inputs.runner-labels), '-')" in line for line in uses)


def test_failed_jobs_alone_can_be_run_again() -> None:
    """Another attempt finds the artifacts of the jobs that are not run again, and may put its own in their place."""
    steps = re.findall(r"uses: actions/(upload|download)-artifact.*\n((?:        .*\n)+)", NIGHTLY)

    names = {word: {re.findall(r"name: (\S+)", step)[0] for kind, step in steps if kind == word} for word, _ in steps}
    assert names == {"upload": {"history", "night"}, "download": {"history", "night"}}
    assert "run_attempt" not in "".join(step for _, step in steps)
    assert all("overwrite: true" in step for kind, step in steps if kind == "upload")


def test_what_is_kept_for_long_is_one_night_not_the_whole_history() -> None:
    """The history is on its branch; ninety copies of it would fill what the repository may store."""
    kept = re.findall(r"path: (?:\|\n)?((?:            .*\n)+|.*\n)          retention-days: (\d+)", NIGHTLY)

    assert [(words.split(), days) for words, days in kept] == [
        (["history"], "3"),
        (["report", "tonight", "history/**/*.journal.jsonl"], "90"),
    ]


def test_whoever_chooses_the_cache_is_told_that_it_serves_one_runner() -> None:
    assert len(re.findall(r"      history:\n        description: .*serves one runner alone", NIGHTLY)) == 2


def test_a_night_without_an_end_is_told_too() -> None:
    (publish,) = re.findall(r"^  publish:\n(?:    .*\n|\n)+", NIGHTLY, re.MULTILINE)

    assert "if: ${{ !cancelled() && needs.restore.result == 'success' }}" in publish
    assert "CODE: ${{ needs.measure.outputs.code || '2' }}" in publish


def test_a_night_that_another_repository_calls_is_judged_by_what_that_one_accepted() -> None:
    looked_up, judged = NIGHTLY.index("path: caller"), NIGHTLY.index("bash nightly/run.sh")

    assert looked_up < NIGHTLY.index("run: cp caller/accepted.toml accepted.toml") < judged


def test_workflows_run_only_what_also_runs_by_hand() -> None:
    """Every program of the project that a workflow starts is there: a module, or a script that can be executed."""
    started = {word for path in WORKFLOWS for line in shell_lines(path.read_text()) for word in line.split()}

    modules = {word for word in started if word.startswith("nightly.")}
    scripts = {word for word in started if word.startswith(("nightly/", ".ci/"))}
    assert modules == {"nightly.history", "nightly.issues", "nightly.conclude"}
    assert scripts == {"nightly/run.sh", "nightly/watch.sh", ".ci/run"}
    for script in scripts:
        assert (ROOT / script).stat().st_mode & 0o100


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_stop_at_the_first_failure(path: Path) -> None:
    assert "set -euo pipefail" in path.read_text()


def checked_by(program: str, *words: str) -> None:
    """Let a program that is installed beside this interpreter, or anywhere else, say what it finds."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    found = shutil.which(program, path=places)
    assert found, f"{program} is not installed; the dependency group `checks` has it"
    done = subprocess.run([found, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_nothing_that_a_stranger_could_use() -> None:
    checked_by("zizmor", "--offline", "--persona", "auditor", *map(str, WORKFLOWS))


def test_shellcheck_finds_nothing_in_scripts() -> None:
    checked_by("shellcheck", *map(str, [*SCRIPTS, ROOT / ".ci" / "run"]))


def test_shellcheck_warns_of_nothing_in_the_steps_of_workflows(tmp_path: Path) -> None:
    steps = tmp_path / "steps.sh"
    steps.write_text(
        "#!/usr/bin/env bash\nset -e\n"
        + "\n".join(line for path in WORKFLOWS for line in shell_lines(path.read_text()))
    )

    checked_by("shellcheck", "--severity=warning", str(steps))


def test_actionlint_finds_nothing() -> None:
    """It is in no package that brings the program along; where somebody installed it, it is asked."""
    if shutil.which("actionlint") is None:
        pytest.skip("actionlint is not installed here")
    checked_by("actionlint", *map(str, WORKFLOWS))
