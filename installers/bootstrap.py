"""Two commands for a fresh machine, with nothing but Python:

    python3 installers/bootstrap.py run [arguments of the app]
    python3 installers/bootstrap.py test [arguments of pytest]

Both make or mend the environment in .venv first, unless it is finished; `setup` does only that. Debian, Ubuntu,
Fedora, Arch and Windows 11; Python 3.11 to 3.14.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST, NEWEST = (3, 11), (3, 14)
USAGE = "usage: bootstrap.py [--python PROGRAM] run|test|setup [arguments of the app or of pytest]"


def main(arguments: list[str]) -> int:
    """This file, unlike the others, must be readable for the Pythons that it refuses."""
    if arguments[:1] == ["--python"] and len(arguments) > 1:
        return subprocess.call([arguments[1], os.path.abspath(__file__), *arguments[2:]])
    if not arguments or arguments[0] not in ("run", "test", "setup"):
        print(__doc__ if arguments[:1] in (["-h"], ["--help"]) else USAGE)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return _with_another_python(arguments)
    sys.path[0] = ROOT
    from pathlib import Path

    from installers.steps import commands

    return commands.main(Path(ROOT), arguments[0], arguments[1:])


def _with_another_python(arguments: list[str]) -> int:
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        program = shutil.which(f"python3.{minor}")
        if program:
            return subprocess.call([program, os.path.abspath(__file__), *arguments])
    here = ".".join(map(str, sys.version_info[:2]))
    print("Tonnelle needs Python 3.11 to 3.14; this is Python " + here + ", and no other was found.")
    print("Install one from your system's packages (or python.org) and run: python3.12 installers/bootstrap.py run")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
