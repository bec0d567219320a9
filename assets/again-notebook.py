# Cells of bash (%%sayso_bash), cells that are files (%%sayso_write), and cells of Python that may end by themselves
# (%%sayso_python), as the session had them.
import os as _sayso_os

_sayso_folder = _sayso_os.getcwd()
_sayso_environment = dict(_sayso_os.environ)


def _sayso_program(words, folder=_sayso_folder, environment=_sayso_environment):
    """Runs a program as the session did: in the folder in which all began, with nothing to read."""
    import subprocess
    import sys

    ran = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    for stream, printed in (sys.stdout, ran.stdout), (sys.stderr, ran.stderr):
        stream.write(printed.decode("utf-8", "replace"))
        stream.flush()
    ran.check_returncode()
