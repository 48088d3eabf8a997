"""How long ago something was, as people say it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QLocale

translate = QCoreApplication.translate  # under this name lupdate finds the texts


def ago(moment: float, now: float) -> str:
    """Short, for a list: "now", "5 min", "3 h", a weekday, or a date. Both are seconds since the epoch."""
    passed = max(0.0, now - moment)
    if passed < 60:
        return translate("When", "now")
    if passed < 3600:
        return translate("When", "{n} min").format(n=int(passed // 60))
    day, today = _day(moment), _day(now)
    if day == today:
        return translate("When", "{n} h").format(n=int(passed // 3600))
    if today - day < timedelta(days=7):
        return QLocale().dayName(day.isoweekday(), QLocale.FormatType.ShortFormat)
    pattern = "d MMM" if day.year == today.year else "MMM yyyy"
    return QLocale().toString(QDate(day.year, day.month, day.day), pattern)


def period(moment: float, now: float) -> str:
    """The heading under which a list shows it."""
    days = (_day(now) - _day(moment)).days
    if days <= 0:
        return translate("When", "Today")
    if days == 1:
        return translate("When", "Yesterday")
    return translate("When", "Last seven days") if days < 7 else translate("When", "Earlier")


def _day(moment: float) -> date:
    return datetime.fromtimestamp(moment).date()
