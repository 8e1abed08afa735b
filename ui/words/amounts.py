"""Numbers, sizes, times and dates as people of the person's country write them.

Owns how amounts look everywhere in the window. Pure functions of a value and the default locale.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QObject, Qt

MINUTE = 60
HOUR = 3600
DAY = 86_400
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
        return self.tr("%Ln hit(s)", "", number)

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
        return QCoreApplication.translate("Words", "{n} bytes").format(n=count(int(number)))
    return locale.formattedDataSize(int(number), 1, si)


def share(value: float) -> str:
    """A share between 0 and 1 in percent; only what is whole is 100 %."""
    whole = int(value * 100) if value < 1 else 100
    return QCoreApplication.translate("Words", "{n} %").format(n=count(whole))


def rate(value: float) -> str:
    """So many in a second, without digits that nobody could read in time."""
    if value >= 10 or value == 0:
        return count(round(value))
    return QLocale().toString(float(value), "f", 1)


def duration(seconds: float) -> str:
    """A time as people say it, with at most two units."""
    whole = max(0, round(seconds))
    if whole < MINUTE:
        return QCoreApplication.translate("Words", "{s} s").format(s=count(whole))
    if whole < HOUR:
        text = QCoreApplication.translate("Words", "{m} min {s} s")
        return text.format(m=count(whole // MINUTE), s=count(whole % MINUTE))
    if whole < DAY:
        text = QCoreApplication.translate("Words", "{h} h {m} min")
        return text.format(h=count(whole // HOUR), m=count(whole % HOUR // MINUTE))
    text = QCoreApplication.translate("Words", "{d} d {h} h")
    return text.format(d=count(whole // DAY), h=count(whole % DAY // HOUR))


def about(seconds: float) -> str:
    """An estimated time, rounded to what an estimate is worth."""
    if seconds < MINUTE:
        return QCoreApplication.translate("Words", "less than a minute")
    if seconds < 90 * MINUTE:
        minutes = _rounded(seconds / MINUTE)
        return _AMOUNTS.minutes(minutes)
    if seconds < 2 * DAY:
        hours = _rounded(seconds / HOUR)
        return _AMOUNTS.hours(hours)
    return _AMOUNTS.days(_rounded(seconds / DAY))


def _rounded(amount: float) -> int:
    """One digit up to twenty, then in fives: an ETA that changes all the time is no help."""
    return max(1, round(amount)) if amount < 20 else round(amount / 5) * 5


def moment(nanoseconds: int) -> str:
    """A date with its time; "" for none."""
    if not nanoseconds:
        return ""
    then = QDateTime.fromMSecsSinceEpoch(nanoseconds // NS)
    return QLocale().toString(then, QLocale.FormatType.ShortFormat)


def instant(iso: str) -> str:
    """A date with its time, from how machines write it; as it stands if it is none."""
    then = QDateTime.fromString(iso, Qt.DateFormat.ISODate)
    if not then.isValid():
        return iso
    return QLocale().toString(then.toLocalTime(), QLocale.FormatType.ShortFormat)
