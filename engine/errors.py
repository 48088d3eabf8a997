"""What can go wrong, as one tree.

Every member carries its facts as fields, tells them in one sentence, and offers a remedy.
`Problem` is the same thing as plain data: what crosses the process border to the window.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as data, ready to be shown, printed or sent.

    kind: name of the error class, for code that must tell them apart.
    sentence: what was wrong and where.
    remedy: what the person can do; may be empty.
    details: (name, value) pairs for "Copy details".
    """

    kind: str
    sentence: str
    remedy: str = ""
    details: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.sentence} {self.remedy}".rstrip()


class TonnelleError(Exception):
    """Root of every error the engine raises on purpose. Members are dataclasses."""

    def sentence(self) -> str:
        raise NotImplementedError(f"{type(self).__name__} says no sentence")

    def remedy(self) -> str:
        return ""

    def __str__(self) -> str:
        return f"{self.sentence()} {self.remedy()}".rstrip()

    def problem(self) -> Problem:
        names: Iterable[str] = getattr(self, "__dataclass_fields__", ())
        details = tuple((name, str(getattr(self, name))) for name in names)
        return Problem(type(self).__name__, self.sentence(), self.remedy(), details)


def problem_of(error: BaseException) -> Problem:
    """Any exception as a Problem; an unforeseen one keeps its traceback in the details."""
    if isinstance(error, TonnelleError):
        return error.problem()
    text = "".join(traceback.format_exception(error))
    return Problem(
        kind=type(error).__name__,
        sentence=f"The engine met an error it did not foresee: {type(error).__name__}: {error}",
        remedy="Try again; if it returns, copy the details into a report.",
        details=(("traceback", text),),
    )


class Cancelled(Exception):
    """The person, or the program acting for them, withdrew the work."""


def some(names: tuple[str, ...], most: int = 5) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


# ------------------------------------------------------------------ finding and reading a model


@dataclass(eq=False)
class NotAModel(TonnelleError):
    """The path holds nothing we can load."""

    path: Path
    reason: str

    def sentence(self) -> str:
        return f"{self.path} is not a model we can load: {self.reason}."

    def remedy(self) -> str:
        return "Choose a Hugging Face model folder (config.json beside *.safetensors) or a .gguf file."


@dataclass(eq=False)
class AdapterOnly(TonnelleError):
    """The folder holds an adapter (LoRA) without the model it belongs to."""

    path: Path
    base: str

    def sentence(self) -> str:
        return f"{self.path} holds only an adapter; the model it belongs to is {self.base or 'not named'}."

    def remedy(self) -> str:
        return "Load that model, or a folder into which the adapter has been merged."


@dataclass(eq=False)
class ConfigError(TonnelleError):
    """A key of a configuration file is missing, has the wrong type, or a value we cannot honour."""

    file: Path
    key: str
    reason: str

    def sentence(self) -> str:
        return f"{self.file}: {self.key}: {self.reason}."

    def remedy(self) -> str:
        return "Fetch the file again from where the model came from, or correct this key."


@dataclass(eq=False)
class UnknownArchitecture(TonnelleError):
    """No declaration exists for the architecture that the model names."""

    name: str
    nearest: tuple[str, ...]

    def sentence(self) -> str:
        return f"The architecture {self.name} is not known to this version."

    def remedy(self) -> str:
        return f"The nearest known ones: {', '.join(self.nearest)}." if self.nearest else ""


@dataclass(eq=False)
class CorruptFile(TonnelleError):
    """A file is cut short or is not what its name says."""

    path: Path
    reason: str

    def sentence(self) -> str:
        return f"{self.path} is damaged: {self.reason}."

    def remedy(self) -> str:
        return "Download this file again."


@dataclass(eq=False)
class MissingShards(TonnelleError):
    """The index names files that are not there."""

    folder: Path
    files: tuple[str, ...]

    def sentence(self) -> str:
        return f"{self.folder}: {len(self.files)} of the model's files are missing: {some(self.files)}."

    def remedy(self) -> str:
        return "Download the missing files into the folder."


@dataclass(eq=False)
class MissingTensors(TonnelleError):
    """The model needs tensors that none of its files holds."""

    source: Path
    names: tuple[str, ...]

    def sentence(self) -> str:
        return f"{self.source}: {len(self.names)} tensors are missing: {some(self.names)}."

    def remedy(self) -> str:
        return "The download is incomplete or the files belong to another model; fetch it again."


@dataclass(eq=False)
class UnexpectedTensors(TonnelleError):
    """The files hold tensors for which the model has no place."""

    source: Path
    names: tuple[str, ...]

    def sentence(self) -> str:
        return f"{self.source}: {len(self.names)} tensors have no place in this architecture: {some(self.names)}."

    def remedy(self) -> str:
        return "config.json and the weights do not belong together; fetch both from one place."


@dataclass(eq=False)
class WrongShape(TonnelleError):
    """A tensor's shape is not what the configuration says."""

    file: Path
    name: str
    expected: tuple[int, ...]
    found: tuple[int, ...]

    def sentence(self) -> str:
        return f"{self.file}: {self.name} has shape {list(self.found)}, the configuration says {list(self.expected)}."

    def remedy(self) -> str:
        return "config.json and the weights do not belong together; fetch both from one place."


@dataclass(eq=False)
class UnsupportedTensor(TonnelleError):
    """A tensor is stored in a type we cannot run."""

    file: Path
    name: str
    dtype: str

    def sentence(self) -> str:
        return f"{self.file}: {self.name} is stored as {self.dtype}, which we cannot run."

    def remedy(self) -> str:
        return "Choose a version of the model in bf16, fp16 or fp32, or another quantization."


@dataclass(eq=False)
class NonFiniteWeights(TonnelleError):
    """A tensor holds NaN or infinity."""

    file: Path
    name: str

    def sentence(self) -> str:
        return f"{self.file}: {self.name} holds values that are not finite (NaN or infinity)."

    def remedy(self) -> str:
        return "The file was damaged or the model was saved broken; fetch it again."


@dataclass(eq=False)
class WeightsTooLarge(TonnelleError):
    """A tensor holds values beyond the range of the type that it is to be loaded in."""

    file: Path
    name: str
    dtype: str

    def sentence(self) -> str:
        return f"{self.file}: {self.name} holds values beyond the range of {self.dtype}."

    def remedy(self) -> str:
        return "Load the model in bfloat16 or float32."


@dataclass(eq=False)
class BadQuantization(TonnelleError):
    """A packed tensor is not what the format allows. cure: what else than fetching it again would help."""

    file: Path
    name: str
    reason: str
    cure: str = "Fetch the file again; if that does not help, choose another conversion of the model."

    def sentence(self) -> str:
        return f"{self.file}: {self.name} {self.reason}."

    def remedy(self) -> str:
        return self.cure


# ------------------------------------------------------------------ text


@dataclass(eq=False)
class TokenizerError(TonnelleError):
    """The tokenizer is absent or cannot be read."""

    path: Path
    reason: str
    cure: str = "Put the model's tokenizer.json beside its weights."

    def sentence(self) -> str:
        return f"{self.path}: {self.reason}."

    def remedy(self) -> str:
        return self.cure


@dataclass(eq=False)
class NoTemplate(TonnelleError):
    """A chat was asked of a model without a chat template."""

    model: str

    def sentence(self) -> str:
        return f"{self.model} has no chat template, so it is a base model or its template file is absent."

    def remedy(self) -> str:
        return "Put a chat_template.jinja into its folder, or choose an instruction-tuned model."


@dataclass(eq=False)
class TemplateError(TonnelleError):
    """The chat template cannot be compiled, or raised while it was rendered.

    message: the template's own words. line: 1-based, 0 when unknown.
    """

    message: str
    line: int = 0

    def sentence(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        return f"The model's chat template refused this conversation{where}: {self.message}"

    def remedy(self) -> str:
        return "Edit the conversation so that it fits the template, or replace the template."


@dataclass(eq=False)
class BrokenTemplate(TemplateError):
    """The chat template itself is wrong, whatever the conversation. name: of the file or setting it came from."""

    name: str = ""

    def sentence(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        return f"{self.name or 'The chat template'} cannot be used{where}: {self.message}"

    def remedy(self) -> str:
        return "Correct the chat template, or put another chat_template.jinja into the model's folder."


# ------------------------------------------------------------------ requests


@dataclass(eq=False)
class InvalidRequest(TonnelleError):
    """A value in a request is out of its range."""

    field: str
    reason: str

    def sentence(self) -> str:
        return f"{self.field}: {self.reason}."


@dataclass(eq=False)
class PromptTooLong(TonnelleError):
    """The prompt leaves no room for an answer. Both in tokens."""

    tokens: int
    context: int

    def sentence(self) -> str:
        return f"The conversation has {self.tokens} tokens; the context holds {self.context}."

    def remedy(self) -> str:
        return "Start a new chat, shorten the conversation, or load the model with a larger context."


@dataclass(eq=False)
class NonFiniteLogits(TonnelleError):
    """The model computed NaN or infinity. position: of the token, counted from 0."""

    position: int

    def sentence(self) -> str:
        return f"The model computed values that are not finite (NaN or infinity) at position {self.position}."

    def remedy(self) -> str:
        return "Load it in bfloat16 or float32; if that does not help, its weights are damaged."


@dataclass(eq=False)
class NothingLoaded(TonnelleError):
    """A chat was asked while no model is loaded."""

    def sentence(self) -> str:
        return "No model is loaded."

    def remedy(self) -> str:
        return "Load a model first."


@dataclass(eq=False)
class Busy(TonnelleError):
    """The command cannot be taken in the present state."""

    state: str

    def sentence(self) -> str:
        return f"The engine is {self.state}."

    def remedy(self) -> str:
        return "Wait until it is done, or cancel it."


# ------------------------------------------------------------------ machine


@dataclass(eq=False)
class DoesNotFit(TonnelleError):
    """No plan exists within the machine's memory. Bytes."""

    device: str
    needed: int
    free: int
    cures: tuple[str, ...] = ()

    def sentence(self) -> str:
        return (
            f"The model does not fit on {self.device}: it needs {self.needed / 2**30:.2f} GiB, "
            f"{self.free / 2**30:.2f} GiB are free."
        )

    def remedy(self) -> str:
        return (
            f"You can {', or '.join(self.cures)}." if self.cures else "Close other programs or choose a smaller model."
        )


@dataclass(eq=False)
class OutOfMemory(TonnelleError):
    """An allocation failed although the plan said it fits. Bytes; 0 when unknown."""

    device: str
    needed: int
    free: int
    during: str

    def sentence(self) -> str:
        needed = f"{self.needed / 2**30:.2f} GiB" if self.needed else "an unknown amount"
        free = f"{self.free / 2**30:.2f} GiB"
        return f"{self.device} ran out of memory while {self.during}: {needed} asked for, {free} free."

    def remedy(self) -> str:
        return "Close other programs that use this memory, load with a smaller context, or choose a smaller model."


@dataclass(eq=False)
class NoSuchDevice(TonnelleError):
    """A device was asked for that the machine does not have."""

    device: str
    have: tuple[str, ...]

    def sentence(self) -> str:
        return f"There is no device {self.device} here."

    def remedy(self) -> str:
        return f"Devices of this machine: {', '.join(self.have)}."


@dataclass(eq=False)
class EngineDied(TonnelleError):
    """The engine process ended by itself."""

    exit_code: int | None

    def sentence(self) -> str:
        code = "without an exit code" if self.exit_code is None else f"with exit code {self.exit_code}"
        return f"The engine stopped unexpectedly, {code}."

    def remedy(self) -> str:
        return "Reload the model; the conversation and what was answered so far are kept."
