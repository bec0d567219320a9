

def _sayso_python(_, cell):
    """Runs a cell of which an end without error (`exit()`) ends it alone."""
    import ast

    names = get_ipython().user_ns
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, "<cell>", "exec"), names)
        return last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise
