"""Numbers, sizes, times and dates as people of the person's country write them.

Owns how amounts look everywhere in the window. Pure functions of a value and the default locale.
"""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt

from indexer.api.progress import rough
from indexer.api.translation import N_
from ui.words.translate import say

NS = 1_000_000


class Amounts(QObject):
    """The texts with a plural: Qt's tool knows a plural only in a call of ``tr``."""

    def files(self, number: int) -> str:
        return self.tr("%Ln file(s)", "", number)

    def documents(self, number: int) -> str:
        return self.tr("%Ln document(s)", "", number)

    def pages(self, number: int) -> str:
        return self.tr("%Ln page(s)", "", number)

    def hits(self, number: int) -> str:
        return self.tr("%Ln passage(s)", "", number)

    def exact(self, number: int) -> str:
        return self.tr("%Ln with the phrase", "", number)

    def more_inside(self, number: int) -> str:
        return self.tr("%Ln more in this document", "", number)

    def more(self, number: int) -> str:
        return self.tr("%Ln more passage(s), further off", "", number)

    def alike(self, number: int) -> str:
        return self.tr("%Ln more, nearly the same", "", number)

    def waiting(self, number: int) -> str:
        return self.tr("%Ln file(s) waiting to be read", "", number)

    def unreadable(self, number: int) -> str:
        return self.tr("%Ln could not be read", "", number)

    def minutes(self, number: int) -> str:
        return self.tr("about %Ln minute(s)", "", number)

    def hours(self, number: int) -> str:
        return self.tr("about %Ln hour(s)", "", number)

    def days(self, number: int) -> str:
        return self.tr("about %Ln day(s)", "", number)


_AMOUNTS = Amounts()


def count(number: int) -> str:
    """A whole number with the separators of the country."""
    return QLocale().toString(int(number))


def files(number: int) -> str:
    return _AMOUNTS.files(number)


def documents(number: int) -> str:
    return _AMOUNTS.documents(number)


def hits(number: int) -> str:
    return _AMOUNTS.hits(number)


def exact(number: int) -> str:
    """So many hits hold the exact phrase."""
    return _AMOUNTS.exact(number)


def more_inside(number: int) -> str:
    """So many more passages of one document."""
    return _AMOUNTS.more_inside(number)


def more(number: int) -> str:
    """So many more passages than the closest ones."""
    return _AMOUNTS.more(number)


def alike(number: int) -> str:
    """So many other places hold nearly the same text."""
    return _AMOUNTS.alike(number)


def waiting(number: int) -> str:
    return _AMOUNTS.waiting(number)


def unreadable(number: int) -> str:
    """So many files could not be read."""
    return _AMOUNTS.unreadable(number)


def pages(number: int) -> str:
    return _AMOUNTS.pages(number)


def size(number: float) -> str:
    """Bytes, as files are counted in shops and file managers: 1.2 MB."""
    locale = QLocale()
    si = QLocale.DataSizeFormat.DataSizeSIFormat
    if number < 1000:
        return say(N_("{n} bytes")).format(n=count(int(number)))
    return locale.formattedDataSize(int(number), 1, si)


def share(value: float) -> str:
    """A share between 0 and 1 in percent; only what is whole is 100 %."""
    whole = int(value * 100) if value < 1 else 100
    return say(N_("{n} %")).format(n=count(whole))


def rate(value: float) -> str:
    """A rate per second, rounded for display."""
    if value >= 10 or value == 0:
        return count(round(value))
    return QLocale().toString(float(value), "f", 1)


def about(seconds: float) -> str:
    """An estimated time, rounded up to what an estimate is worth."""
    number, unit = rough(seconds)
    if not number:
        return say(N_("less than a minute"))
    return {"minute": _AMOUNTS.minutes, "hour": _AMOUNTS.hours, "day": _AMOUNTS.days}[unit](number)


def moment(nanoseconds: int) -> str:
    """A date with its time; "" for none."""
    if not nanoseconds:
        return ""
    then = QDateTime.fromMSecsSinceEpoch(nanoseconds // NS)
    return QLocale().toString(then, QLocale.FormatType.ShortFormat)


def instant(iso: str) -> str:
    """Format an ISO date and time for the person; other text is returned unchanged."""
    then = QDateTime.fromString(iso, Qt.DateFormat.ISODate)
    if not then.isValid():
        return iso
    return QLocale().toString(then.toLocalTime(), QLocale.FormatType.ShortFormat)
