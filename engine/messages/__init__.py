"""What the engine is told and what it says: frozen dataclasses, and how they travel."""

from engine.messages.commands import Cancel, Chat, ChatMessage, Command, Load, Shutdown, Unload
from engine.messages.events import (
    Event,
    Failed,
    Finished,
    FinishReason,
    Loaded,
    Loading,
    ModelCard,
    Prefilling,
    Ready,
    Stats,
    Timings,
    Token,
    Unloaded,
    Usage,
)

__all__ = [
    "Cancel",
    "Chat",
    "ChatMessage",
    "Command",
    "Event",
    "Failed",
    "FinishReason",
    "Finished",
    "Load",
    "Loaded",
    "Loading",
    "ModelCard",
    "Prefilling",
    "Ready",
    "Shutdown",
    "Stats",
    "Timings",
    "Token",
    "Unload",
    "Unloaded",
    "Usage",
]
