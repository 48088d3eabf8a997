"""What can go wrong in the window itself: members of the engine's tree of errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import TonnelleError


@dataclass(eq=False)
class ChatsDamaged(TonnelleError):
    """The file of chats could not be read as a whole. lost: records known to be lost; None: all of them."""

    path: Path
    backup: Path
    lost: int | None

    def sentence(self) -> str:
        return f"The file of chats, {self.path}, was damaged and has been replaced; {self._kept()}."

    def _kept(self) -> str:
        if self.lost is None:
            return "none of its records could be read"
        if self.lost:
            return f"{self.lost} of its records could not be read, the others are kept"
        return "all records that were found are kept"

    def remedy(self) -> str:
        return f"The damaged file is kept as {self.backup}."


@dataclass(eq=False)
class ChatsNotSaved(TonnelleError):
    """The file of chats cannot be written; chatting goes on in memory."""

    path: Path
    reason: str

    def sentence(self) -> str:
        return f"Chats cannot be saved in {self.path}: {self.reason}. For now they are kept in memory only."

    def remedy(self) -> str:
        return "Free some space there, or make the folder writable, before you close the window."


@dataclass(eq=False)
class ChatsTooNew(TonnelleError):
    """The file of chats was written by a later version; it is left alone."""

    path: Path
    found: int
    known: int

    def sentence(self) -> str:
        return (
            f"{self.path} was written by a later version of Tonnelle (format {self.found}, known up to {self.known}). "
            "It is left untouched, and chats of this session are not saved."
        )

    def remedy(self) -> str:
        return "Start the later version."


@dataclass(eq=False)
class NoSuchChat(TonnelleError):
    """A chat or message is not there, e.g. because another window deleted it for good."""

    what: str
    id: int

    def sentence(self) -> str:
        return f"There is no {self.what} {self.id} any more."


@dataclass(eq=False)
class EngineNotStarted(TonnelleError):
    """The operating system did not start the engine's process."""

    program: str
    reason: str

    def sentence(self) -> str:
        return f"The engine could not be started with {self.program}: {self.reason}."

    def remedy(self) -> str:
        return "Close other programs and reload; if it returns, install Tonnelle again."


@dataclass(eq=False)
class EngineGarbled(TonnelleError):
    """What came from the engine was no message."""

    reason: str

    def sentence(self) -> str:
        return f"The engine sent something that is no message: {self.reason}."

    def remedy(self) -> str:
        return "Reload the model; the conversation and what was answered so far are kept."


@dataclass(eq=False)
class LoadCrashed(TonnelleError):
    """The engine ended while it loaded this model, so it is not loaded by itself again."""

    source: str

    def sentence(self) -> str:
        return f"The engine stopped while it loaded {self.source} the last time, so it was not loaded again by itself."

    def remedy(self) -> str:
        return "Load it again yourself, or choose another model."


@dataclass(eq=False)
class NoStarter(TonnelleError):
    """The starter model is not installed and no other model is known."""

    def sentence(self) -> str:
        return "There is no model to start with: the starter model is not installed."

    def remedy(self) -> str:
        return "Choose a model folder or a .gguf file."
