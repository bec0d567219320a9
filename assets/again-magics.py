

def _sayso_magics():
    from IPython.core.magic import no_var_expand

    import sys

    shell = get_ipython()
    # Else these would end the whole kernel.
    shell.user_ns.update(exit=sys.exit, quit=sys.exit)
    runs = {"bash": lambda _, cell: _sayso_bash(cell), "write": _sayso_write, "python": _sayso_python}
    for name, run in runs.items():
        shell.register_magic_function(no_var_expand(run), "cell", "sayso_" + name)


_sayso_magics()
