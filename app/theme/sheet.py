"""The style sheet: what the standard widgets look like. Our own widgets paint themselves from the tokens."""

from __future__ import annotations

from collections.abc import Callable

from app.theme.tokens import Tokens


def sheet(t: Tokens, px: Callable[[float], int]) -> str:
    """The window's style sheet for tokens `t`; `px` scales a length by the window's zoom."""
    return "\n".join((_containers(t), _menus(t, px), _inputs(t, px), _scroll_bars(t, px)))


def _containers(t: Tokens) -> str:
    return f"""
QMainWindow {{ background: {t.window}; }}
QDialog {{ background: {t.window}; border: 1px solid {t.border_strong}; }}
QLabel {{ background: transparent; color: {t.text}; }}
QLabel[tone="muted"] {{ color: {t.muted}; }}
QLabel[tone="danger"] {{ color: {t.danger}; }}
QLabel[tone="accent"] {{ color: {t.accent}; }}
QSplitter::handle {{ background: {t.border}; }}
QSplitter::handle:hover {{ background: {t.accent}; }}
QScrollArea, QTextBrowser, QPlainTextEdit {{ background: transparent; border: none; }}
"""


def _menus(t: Tokens, px: Callable[[float], int]) -> str:
    return f"""
QMenu {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.border_strong}; padding: {px(5)}px; }}
QMenu::item {{ padding: {px(6)}px {px(24)}px {px(6)}px {px(10)}px; border-radius: {px(5)}px; }}
QMenu::item:selected {{ background: {t.accent_soft}; color: {t.text}; }}
QMenu::item:disabled {{ color: {t.muted}; background: transparent; }}
QMenu::icon {{ padding-left: {px(8)}px; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: {px(5)}px {px(8)}px; }}
QToolTip {{ background: {t.tooltip}; color: {t.on_tooltip}; border: none; padding: {px(4)}px {px(7)}px; }}
"""


def _inputs(t: Tokens, px: Callable[[float], int]) -> str:
    return f"""
QLineEdit {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.border_strong};
    border-radius: {px(6)}px; padding: {px(4)}px {px(6)}px; selection-background-color: {t.selection};
    selection-color: {t.text}; }}
QLineEdit:focus {{ border: 2px solid {t.accent}; padding: {px(4) - 1}px {px(6) - 1}px; }}
QListView {{ background: transparent; border: none; outline: none; }}
"""


def _scroll_bars(t: Tokens, px: Callable[[float], int]) -> str:
    wide, thin = px(10), px(3)
    return f"""
QScrollBar:vertical {{ background: transparent; width: {wide}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {wide}px; margin: 0; }}
QScrollBar::handle {{ background: {t.border_strong}; border-radius: {thin}px; }}
QScrollBar::handle:vertical {{ min-height: {px(32)}px; margin: 2px {px(2)}px; }}
QScrollBar::handle:horizontal {{ min-width: {px(32)}px; margin: {px(2)}px 2px; }}
QScrollBar::handle:hover {{ background: {t.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
