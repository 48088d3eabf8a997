"""The command line: `tonnelle chat`, `tonnelle doctor`, `tonnelle evaluate` (or `python -m engine …`).

What was asked for goes to standard output, progress and problems to standard error. Exit codes: 0 done, 1 a problem
that is told in one sentence, 2 a wrong call, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from engine import __version__
from engine.errors import TonnelleError


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except TonnelleError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("tonnelle", description="Run large language models on this machine.")
    parser.add_argument("--version", action="version", version=f"Tonnelle {__version__}")
    commands = parser.add_subparsers(required=True, metavar="chat|doctor|evaluate")

    chat = commands.add_parser("chat", help="chat with a model in this terminal, or ask it one question")
    _model_options(chat)
    chat.add_argument("--model", help="a model folder or .gguf file (default: the starter model)")
    chat.add_argument("--prompt", help="ask this and end; without it the chat is interactive")
    chat.add_argument("--system", help="instructions for the model")
    chat.add_argument("--max-tokens", type=int, help="most tokens of an answer")
    chat.add_argument("--temperature", type=float, help="0 is greedy (default: 0.7; small models: 0.2)")
    chat.add_argument("--top-k", type=int)
    chat.add_argument("--top-p", type=float)
    chat.add_argument("--min-p", type=float)
    chat.add_argument("--repetition-penalty", type=float)
    chat.add_argument("--seed", type=int, help="same seed, same text")
    chat.add_argument("--stop", action="append", help="a text that ends the answer; may be given several times")
    chat.add_argument("--json", action="store_true", help="print one JSON object instead of streaming")
    chat.set_defaults(command=_chat)

    doctor = commands.add_parser("doctor", help="what this machine has and what is missing")
    doctor.add_argument("--json", action="store_true")
    doctor.set_defaults(command=_doctor)

    evaluate = commands.add_parser("evaluate", help="perplexity of a model, and its distance from a reference")
    _model_options(evaluate)
    evaluate.add_argument("model", help="a model folder or .gguf file")
    evaluate.add_argument("--reference", help="a model to compare with: mean KL divergence and top-1 agreement")
    evaluate.add_argument("--ids", help="safetensors file with input_ids [rows, length] (default: Python's own manual)")
    evaluate.add_argument("--json", action="store_true")
    evaluate.set_defaults(command=_evaluate)
    return parser


def _model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N")
    parser.add_argument("--dtype", default="auto", choices=["auto", "float32", "bfloat16", "float16"])
    parser.add_argument("--context", type=int, help="most tokens of a conversation")
    parser.add_argument("--threads", type=int, help="processor threads (default: one less than there are)")


# Imports inside: each command pays only for what it uses, and --help for nothing.


def _chat(options: argparse.Namespace) -> int:
    from engine.commands import chat

    return chat.run(options)


def _doctor(options: argparse.Namespace) -> int:
    from engine.commands import doctor

    return doctor.run(options)


def _evaluate(options: argparse.Namespace) -> int:
    from engine.commands import evaluate

    return evaluate.run(options)


if __name__ == "__main__":
    sys.exit(main())
