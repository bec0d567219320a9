

def _sayso_bash(source, kept={}):
    """Runs a block in a bash of its own, as the session did: its folder and exported variables go on to the next one."""
    import os
    import tempfile

    # Each shell sets these by itself, or obeys them before it begins.
    names = (
        *("_", "PWD", "SHLVL", "SHELLOPTS", "BASHOPTS"),
        *("NODE_OPTIONS", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PERL5OPT", "RUBYOPT"),
    )
    starts = ("PYTHON", "LD_", "DYLD_", "BASH_FUNC_", "GIT_")
    with tempfile.TemporaryDirectory() as folder:
        block, state = os.path.join(folder, "block"), os.path.join(folder, "state")
        with open(block, "w", encoding="utf-8", newline="") as file:
            file.write(source)
        open(state, "w").close()
        begin = 'exec bash --noprofile --norc -c "$1" block 90<"$2" 91>"$3"'
        _sayso_program(
            ["bash", "--noprofile", "--norc", "-c", begin, "bash", _sayso_shell, block, state],
            kept.get("folder", _sayso_folder),
            kept.get("environment", _sayso_environment),
        )
        with open(state, "rb") as file:
            items = file.read().split(b"\0")
    # It became another program: what was known before stays.
    if items[:1] != [b"cwd"] or items[-2:-1] != [b"end"]:
        return
    own = lambda name: name in names or name.startswith(starts)
    told = (os.fsdecode(item).partition("=") for item in items[2:-2])
    environment = {name: value for name, _, value in told if not own(name)}
    environment.update((name, value) for name, value in _sayso_environment.items() if own(name))
    kept.update(folder=os.fsdecode(items[1]).removesuffix("\n"), environment=environment)
