"""Numbers, sizes, times, dates and paths in the person's locale."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt

from indexer.api.progress import rough
from indexer.api.translation import N_
from ui.words import say

NS = 1_000_000


class Amounts(QObject):
    """The texts with a plural, which Qt's tool finds only in calls of ``self.tr``."""

    def files(self, number: int) -> str:
        return self.tr("%Ln file(s)", "", number)

    def empty(self, number: int) -> str:
        return self.tr("%Ln empty file(s)", "", number)

    def documents(self, number: int) -> str:
        return self.tr("%Ln document(s)", "", number)

    def pages(self, number: int) -> str:
        return self.tr("%Ln page(s)", "", number)

    def hits(self, number: int) -> str:
        return self.tr("%Ln passage(s)", "", number)

    def new(self, number: int) -> str:
        """The number of new passages of a saved search."""
        return self.tr("%Ln new passage(s)", "", number)

    def exact(self, number: int) -> str:
        """The number of hits with the exact phrase."""
        return self.tr("%Ln with the phrase", "", number)

    def more_inside(self, number: int) -> str:
        """The number of further passages of one document."""
        return self.tr("%Ln more in this document", "", number)

    def more(self, number: int) -> str:
        """The number of passages after the closest ones."""
        return self.tr("%Ln more passage(s), further off", "", number)

    def alike(self, number: int) -> str:
        """The number of other places with nearly the same text."""
        return self.tr("%Ln more, nearly the same", "", number)

    def waiting(self, number: int) -> str:
        return self.tr("%Ln file(s) waiting to be read", "", number)

    def unreadable(self, number: int) -> str:
        """The number of files that could not be read."""
        return self.tr("%Ln could not be read", "", number)

    def retried(self, number: int) -> str:
        """The outcome of a retry."""
        again = self.tr("%Ln file(s) will be read again.", "", number)
        return again if number else self.tr("There is nothing to read again.")

    def languages(self, number: int) -> str:
        return self.tr("%Ln language(s)", "", number)

    def minutes(self, number: int) -> str:
        return self.tr("about %Ln minute(s)", "", number)

    def hours(self, number: int) -> str:
        return self.tr("about %Ln hour(s)", "", number)

    def days(self, number: int) -> str:
        return self.tr("about %Ln day(s)", "", number)


_AMOUNTS = Amounts()
alike, documents, exact, files = _AMOUNTS.alike, _AMOUNTS.documents, _AMOUNTS.exact, _AMOUNTS.files
hits, more, more_inside = _AMOUNTS.hits, _AMOUNTS.more, _AMOUNTS.more_inside
languages, new, pages, retried = _AMOUNTS.languages, _AMOUNTS.new, _AMOUNTS.pages, _AMOUNTS.retried
empty, unreadable, waiting = _AMOUNTS.empty, _AMOUNTS.unreadable, _AMOUNTS.waiting


def count(number: int) -> str:
    """A whole number with the locale's separators."""
    return QLocale().toString(int(number))


def size(number: float) -> str:
    """A number of bytes with a decimal unit: 1.2 MB."""
    locale = QLocale()
    si = QLocale.DataSizeFormat.DataSizeSIFormat
    if number < 1000:
        return say(N_("{n} bytes")).format(n=count(int(number)))
    return locale.formattedDataSize(int(number), 1, si)


def share(value: float) -> str:
    """A share between 0 and 1 in percent; 100 % only for 1."""
    whole = int(value * 100) if value < 1 else 100
    return say(N_("{n} %")).format(n=count(whole))


def rate(value: float) -> str:
    """A rate per second, rounded for display."""
    if value >= 10 or value == 0:
        return count(round(value))
    return QLocale().toString(float(value), "f", 1)


def about(seconds: float) -> str:
    """An estimated time in words, rounded up to one unit."""
    number, unit = rough(seconds)
    if not number:
        return say(N_("less than a minute"))
    return {"minute": _AMOUNTS.minutes, "hour": _AMOUNTS.hours, "day": _AMOUNTS.days}[unit](number)


def moment(nanoseconds: int) -> str:
    """A date with its time, from nanoseconds since 1970; "" for 0."""
    if not nanoseconds:
        return ""
    then = QDateTime.fromMSecsSinceEpoch(nanoseconds // NS)
    return QLocale().toString(then, QLocale.FormatType.ShortFormat)


def instant(iso: str) -> str:
    """An ISO date and time in the locale's form; other text stays as it is."""
    then = QDateTime.fromString(iso, Qt.DateFormat.ISODate)
    if not then.isValid():
        return iso
    return QLocale().toString(then.toLocalTime(), QLocale.FormatType.ShortFormat)


def from_home(path: str) -> str:
    """Replace the home folder at the beginning of a path by ``~``."""
    inside, home = Path(path), Path.home()
    below = inside != home and inside.is_relative_to(home)
    return str(Path("~") / inside.relative_to(home)) if below else path
