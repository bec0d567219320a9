
import os as _sayso_os

_sayso_folder = _sayso_os.getcwd()
_sayso_environment = dict(_sayso_os.environ)


def _sayso_program(words, folder=_sayso_folder, environment=_sayso_environment):
    """Runs a program as the session did: in the folder in which all began, with nothing to read."""
    import subprocess
    import sys

    sys.stdout.flush()
    subprocess.run(words, check=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL)
