

def _sayso_python(name, source, kept={}):
    """Runs a block as the session did: it may wait (`await`) anywhere, and an end without error (`exit()`) ends it alone."""
    import ast
    import asyncio
    import linecache

    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    try:
        code = compile(source, name, "exec")
    except SyntaxError:
        code = compile(source, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    try:
        waits = eval(code, globals())
        if waits is not None:
            if "loop" not in kept:
                kept["loop"] = asyncio.new_event_loop()
            asyncio.set_event_loop(kept["loop"])
            kept["loop"].run_until_complete(waits)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise
