"""Every number that the verdict rule depends on: its default, its meaning and the values it accepts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any


def _setting(default: Any, meaning: str, *, least: float, most: float, per_case: bool = False) -> Any:  # noqa: ANN401
    return field(default=default, metadata={"meaning": meaning, "least": least, "most": most, "per_case": per_case})


@dataclass(frozen=True)
class Settings:
    """The rule's numbers. Changes are relative (0.025 is 2.5 %), times in seconds, spreads of log time.

    Raises:
        ValueError: a value is of the wrong type or outside its bounds, an override names an unknown setting or one
            that holds for the whole suite; the message names the setting and the value.
    """

    window: int = _setting(30, "sessions of the present level that make a baseline, at most", least=5, most=1000)
    least_history: int = _setting(5, "sessions on the present level before a case is judged", least=3, most=1000)
    trim: float = _setting(4.0, "sessions further than this many sd from the level do not shape it", least=2, most=100)
    prior_cap: float = _setting(60.0, "sessions that the suite's typical spread counts for, at most", least=0, most=1e4)
    q: float = _setting(0.05, "share of false lines among the changes of one session", least=1e-6, most=0.5)
    floor: float = _setting(0.025, "smallest change worth a line, relative", least=0, most=10, per_case=True)
    absolute_floor_s: float = _setting(1e-7, "smallest change worth a line, s", least=0, most=1e6, per_case=True)
    confirm_sessions: tuple[int, ...] = _setting((2, 3, 5, 7), "last sessions that confirm a change", least=2, most=20)
    confirm_weights: tuple[float, ...] = _setting(
        (0.3, 0.35, 0.3, 0.4), "error share of each; they overlap, so up to 2 in all", least=1e-6, most=1
    )
    confirm_clip: float = _setting(3.0, "sd that one session counts for in a confirmation, at most", least=1, most=100)
    guard_rank: int = _setting(3, "a change exceeds this worst session of the window", least=1, most=30, per_case=True)
    guard_least: int = _setting(10, "sessions on the level before the guard holds", least=2, most=1000)
    shift_floor: float = _setting(0.015, "smallest shift of a whole machine, relative", least=0, most=10)
    shift_sd: float = _setting(4.0, "smallest shift of a whole machine, in sd of its own history", least=0, most=100)
    shift_cases: int = _setting(20, "cases of a device that tell its shift, at least", least=3, most=10000)
    suspect_p: float = _setting(0.002, "a suspect is this unlikely or less by chance", least=0, most=0.5, per_case=True)
    rerun_z: float = _setting(2.0, "cases slower by this many sd are worth measuring again", least=0, most=100)
    rerun_decide: float = _setting(
        2.5, "re-runs slower by this many sd make a regression", least=0, most=100, per_case=True
    )
    recover_odds: float = _setting(1000.0, "odds for the old level that end a regression", least=1, most=1e12)
    creep_floors: float = _setting(2.0, "slow creep beyond this many floors is a regression", least=1, most=100)
    overrides: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in fields(self):
            if entry.name != "overrides":
                _check(entry.name, getattr(self, entry.name), entry)
        if len(self.confirm_sessions) != len(self.confirm_weights):
            raise ValueError(f"confirm_weights: {self.confirm_weights!r} are not as many as the confirm_sessions")
        if sum(self.confirm_weights) > 2 + 1e-9:
            raise ValueError(f"confirm_weights: {self.confirm_weights!r} add up to more than 2")
        for glob, values in self.overrides.items():
            _check_override(glob, values)

    def per_case(self, name: str, fullnames: Sequence[str]) -> list[float]:
        """Return a setting for each case; where several globs match a case, the last one in the table holds."""
        fitting = [(glob, override[name]) for glob, override in self.overrides.items() if name in override]
        default = float(getattr(self, name))
        return [
            next((float(value) for glob, value in reversed(fitting) if matches(case, glob)), default)
            for case in fullnames
        ]


def matches(fullname: str, glob: str) -> bool:
    """Whether a glob selects a case: by its whole name, by the name without its file, or by the id in its brackets.

    The brackets of a pytest name would be a character class in a glob, so a name equal to the glob always matches.
    """
    inside = fullname.partition("[")[2].removesuffix("]")
    names = [fullname, fullname.rpartition("::")[2], *([inside] if inside else [])]
    return glob in names[:2] or any(fnmatchcase(name, glob) for name in names)


def from_table(table: Mapping[str, Any], base: Settings | None = None) -> Settings:
    """Settings from a table such as `[tool.training-reports]`; what it leaves out stays as in `base`.

    Names may be written with hyphens. A sub-table `overrides` holds `{glob = {setting = value}}`.

    Raises:
        ValueError: an unknown setting or a bad value; the message names both.
    """
    known = {entry.name for entry in fields(Settings)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in known:
            raise ValueError(f"{key}: no such setting; known are {', '.join(sorted(known))}")
        values[name] = tuple(value) if isinstance(value, list) else value
    if "overrides" in values:
        values["overrides"] = _overrides(values["overrides"])
    return replace(base or Settings(), **values)


def _overrides(table: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401  whatever a TOML file holds there
    if not isinstance(table, dict) or not all(isinstance(value, dict) for value in table.values()):
        raise ValueError(f"overrides: {table!r} is not a table of one table a glob")
    return {glob: {key.replace("-", "_"): value for key, value in override.items()} for glob, override in table.items()}


def described() -> list[tuple[str, Any, str]]:
    """Name, default and meaning of every setting, in order: the table that --help and the documentation show."""
    return [
        (entry.name, entry.default, entry.metadata["meaning"])
        for entry in fields(Settings)
        if entry.name != "overrides"
    ]


def as_table(settings: Settings) -> dict[str, Any]:
    """The settings as plain values, as verdicts.json keeps them."""
    return asdict(settings)


def _check(name: str, value: Any, entry: Any) -> None:  # noqa: ANN401
    least, most, default = entry.metadata["least"], entry.metadata["most"], entry.default
    values = value if isinstance(default, tuple) else (value,)
    if not isinstance(values, tuple) or not values:
        raise ValueError(f"{name}: {value!r} is not a list of numbers")
    whole = isinstance(default[0] if isinstance(default, tuple) else default, int)
    for number in values:
        if isinstance(number, bool) or not isinstance(number, int if whole else (int, float)):
            raise ValueError(f"{name}: {number!r} is not a {'whole ' if whole else ''}number")  # noqa: TRY004  the value is wrong, whatever its type
        if not least <= number <= most:
            raise ValueError(f"{name}: {number!r} is not between {least:g} and {most:g}")


def _check_override(glob: str, values: Mapping[str, Any]) -> None:
    known = {entry.name: entry for entry in fields(Settings) if entry.metadata.get("per_case")}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"overrides.{glob}: {name} cannot be set per case; {', '.join(known)} can")
        _check(f"overrides.{glob}.{name}", value, known[name])
