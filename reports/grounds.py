"""What a session is judged on besides the files of its store."""

from dataclasses import dataclass, field

from reports.limits import Limit
from reports.rule.accepted import Book
from reports.rule.checkpoints import Shelf
from reports.rule.settings import Settings


@dataclass(frozen=True)
class Grounds:
    """Without any, the rule's defaults hold and nothing was accepted.

    Attributes:
        settings: the rule's numbers.
        accepted: what was accepted or renamed.
        limits: what is beyond one of them is a regression, whatever its history.
        shelf: where replays are kept, such as the cache of the runs: it spares most of one that went there before.
    """

    settings: Settings = field(default_factory=Settings)
    accepted: Book = field(default_factory=Book)
    limits: tuple[Limit, ...] = ()
    shelf: Shelf | None = None
