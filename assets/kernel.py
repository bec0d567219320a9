"""The loop inside the persistent Python: takes a block, runs it in one namespace, tells what came of it.

Standard library only, Python 3.8 and later. It is started isolated (`-I`), reads its own text from a descriptor, and
speaks frames on the control socket; descriptors 0, 1 and 2 belong to the program. Until the first block arrives the
working folder is not on `sys.path`, and what is imported later for the kernel itself is looked up without it.
It does not decide anything, knows no limits and measures nothing: that is the supervisor's work.
"""

import _ast
import _thread
import builtins
import fcntl
import io
import os
import select
import signal
import sys
import time
from _operator import is_ as _is, is_not as _is_not, ne as _ne, or_ as _or
from itertools import chain as _chain, compress as _compress, count as _count

CONTROL = int(sys.argv[1])
PID = os.getpid()
STDLIB = list(sys.path)
MAIN = sys.modules["__main__"]
NAMES = MAIN.__dict__
TRACEBACK_LIMIT = 64 * 1024
NAME_LIMIT = 200
PATH_LIMIT = 4096
SHAPE_LIMIT = 256 * 1024
SHAPES_LIMIT = 1024 * 1024
VARIABLES_LIMIT = 200
FRAME_LIMIT = 64 * 1024 * 1024
AWAIT_FLAG = 0x2000  # PyCF_ALLOW_TOP_LEVEL_AWAIT
TREE_FLAG = 0x0400  # PyCF_ONLY_AST
FIONREAD = 0x4004667F if sys.platform == "darwin" else 0x541B
MISSING = object()
KERNEL_FILE = sys._getframe().f_code.co_filename
NO_INPUT = (
    "input() has no terminal here. Put the value into the code, or ask for it in the conversation. "
    "In the panes, T gives a block of this computer a terminal before it runs."
)

# Originals of what the person's code may replace: the kernel keeps using these.
_write, _read, _sleep, _getpid, _exit = os.write, os.read, time.sleep, os.getpid, os._exit
_close = os.close
_sending = _thread.allocate_lock()
_fstat, _dup2, _clock = os.fstat, os.dup2, time.monotonic
_ioctl, _getsignal, _setsignal, _select = fcntl.ioctl, signal.getsignal, signal.signal, select.select
_type_name_slot = type.__dict__["__name__"].__get__
_type_module = type.__dict__["__module__"].__get__
_type_dict = type.__dict__["__dict__"].__get__

_sources = {}  # label -> lines, for tracebacks and inspect
_running = _interrupted = False
_has_channel = True
_token = b"\0" * 16
_future_flags = 0
_loop = None


def _type_name(kind):
    """The name of a type, of which its code may make anything."""
    name = _type_name_slot(kind)
    return name[:NAME_LIMIT] if type(name) is str else "?"


# --- frames ------------------------------------------------------------------------------------------------------


def _field(field):
    """A field with its length before it."""
    if isinstance(field, str):
        if not field.isascii():
            field = field.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        field = field.encode("utf-8")
    return len(field).to_bytes(4, "big") + field


def _send(kind, *fields):
    """One frame: length, kind, then each field with its length; the run's token is always the first field."""
    _send_made(kind, *map(_field, fields))


def _send_made(kind, *fields):
    """One frame of fields that have their length already."""
    body = b"".join((kind, _field(_token)) + fields)
    data = memoryview(len(body).to_bytes(4, "big") + body)
    # Threads of a block may show pictures at the same time.
    with _sending:
        while data:
            data = data[_write(CONTROL, data):]


def _receive_exactly(count):
    parts = []
    while count:
        part = _read(CONTROL, min(count, 1 << 20))
        if not part:
            _exit(0)  # the other end is closed, and nobody else could read this
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _receive():
    size = int.from_bytes(_receive_exactly(4), "big")
    if not 1 <= size <= FRAME_LIMIT:
        _exit(70)
    body = _receive_exactly(size)
    fields, at = [], 1
    while at < size:
        end = at + 4 + int.from_bytes(body[at:at + 4], "big")
        fields.append(body[at + 4:end])
        at = end
    return body[:1], fields


# --- standard streams --------------------------------------------------------------------------------------------


class _Raw(io.RawIOBase):
    """A standard stream that writes at once, and keeps the order between the two streams.

    Two pipes have no common order. Before a write changes from one to the other, the first is given the time to be
    read; so the reader sees them in the order in which they were written.
    """

    last = None

    def __init__(self, fd, name):
        io.RawIOBase.__init__(self)
        self.fd, self.name, self.mode = fd, name, "wb"

    def fileno(self):
        return self.fd

    def writable(self):
        return True

    def write(self, data):
        last = _Raw.last
        if last is not self:
            _Raw.last = self
            if last is not None:
                _wait_until_read(last.fd)
        try:
            done = _write(self.fd, data)
            size = len(data)
            if done == size and type(data) is bytes:
                return size
        except BlockingIOError:
            os.set_blocking(self.fd, True)
            done = 0
        view = memoryview(data).cast("B")
        size = len(view)
        while done < size:
            try:
                done += _write(self.fd, view[done:])
            except BlockingIOError:
                os.set_blocking(self.fd, True)
        return size


def _wait_until_read(fd):
    """Waits until the pipe is empty; 50 ms at most, then order is worth less than time."""
    until = None
    while True:
        try:
            waiting = _ioctl(fd, FIONREAD, b"\0\0\0\0")
        except (OSError, ValueError):
            return
        if waiting == b"\0\0\0\0":
            return
        now = _clock()
        if until is None:
            until = now + 0.05
        elif now > until:
            return
        _sleep(0.00002)


def _open_streams():
    made = []
    for fd, name in ((1, "<stdout>"), (2, "<stderr>")):
        errors = "surrogateescape" if fd == 1 else "backslashreplace"
        made.append(io.TextIOWrapper(_Raw(fd, name), "utf-8", errors, newline="\n", write_through=True))
    return made


_saved_fds = {}
_streams = []


def _ready_streams():
    """Puts the standard streams back, whatever the block before did to them."""
    for fd, (copy, identity) in _saved_fds.items():
        try:
            stat = _fstat(fd)
            same = (stat.st_dev, stat.st_ino) == identity
        except OSError:
            same = False
        if not same:
            try:
                _dup2(copy, fd, True)
            except OSError:
                continue
        try:
            os.set_blocking(fd, True)
        except OSError:
            pass
    if not _streams or any(stream.closed for stream in _streams):
        _streams[:] = _open_streams()
    sys.stdout, sys.stderr = _streams
    sys.__stdout__, sys.__stderr__ = _streams


def _flush():
    for stream in (sys.stdout, sys.stderr):
        if stream not in _streams:
            try:
                stream.flush()
            except BaseException:
                pass


# --- lazy parts of the standard library --------------------------------------------------------------------------


def _load(name):
    """Imports for the kernel itself: the working folder can't stand in for the standard library."""
    path, sys.path = sys.path, list(STDLIB)
    try:
        __import__(name)
        return sys.modules[name]
    finally:
        sys.path = path


def _preload():
    """What an error message needs, fetched while nothing is waited for."""
    for name in ("linecache", "traceback"):
        try:
            _load(name)
        except BaseException:
            return  # a block has broken imports; errors are then described more simply


def _register_source(label, text):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1] + "\n"] if lines[-1] else [])
    _sources[label] = lines
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        _fill_linecache(linecache, label)


def _fill_linecache(linecache, label):
    lines = _sources[label]
    linecache.cache[label] = (sum(map(len, lines)), None, lines, label)


def _fill_linecache_with_all(linecache):
    for label in _sources:
        _fill_linecache(linecache, label)


class _Watch:
    """Sees a few modules when they are first imported, by whomever, and completes them."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        complete = _COMPLETE.get(name)
        if complete is None:
            return None
        for finder in sys.meta_path:
            if finder is _Watch or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Completing(spec.loader, complete)
                return spec
        return None


class _Completing:
    def __init__(self, loader, complete):
        self._loader, self._complete = loader, complete

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        spec = getattr(module, "__spec__", None)
        if spec is not None:
            spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        try:
            self._complete(module)
        except Exception:
            pass


# --- modules that are completed when a block imports them ---------------------------------------------------------------


_COMPLETE = {
    "linecache": _fill_linecache_with_all,
    "matplotlib.pyplot": _complete_pyplot,
    "matplotlib.figure": _complete_figure,
    "PIL.Image": _complete_pil,
    "plotly.basedatatypes": _complete_plotly,
}


# --- errors ------------------------------------------------------------------------------------------------------


def _is_users(filename):
    if filename in _sources:
        return True
    if filename.startswith("<"):
        return False
    for part in ("site-packages", "dist-packages"):
        if part in filename:
            return False
    return not any(filename.startswith(root) for root in _LIBRARY_ROOTS)


_LIBRARY_ROOTS = tuple(
    {os.path.dirname(os.__file__) + os.sep, os.path.join(sys.base_prefix, "lib") + os.sep}
)


def _cut(summary):
    """Keeps the person's frames, and the one where the error rose, if that is in a library."""
    frames = [f for f in summary if f.filename != KERNEL_FILE]
    kept = [f for f in frames if _is_users(f.filename)]
    if frames and frames[-1] not in kept:
        kept.append(frames[-1])
    summary[:] = kept


def _cut_all(trace, seen):
    if trace is None or id(trace) in seen:
        return
    seen.add(id(trace))
    if trace.stack is not None:
        _cut(trace.stack)
    _cut_all(trace.__cause__, seen)
    _cut_all(trace.__context__, seen)
    for other in getattr(trace, "exceptions", None) or ():
        _cut_all(other, seen)


def _describe(error):
    """Type, message and traceback of an uncaught exception, cut to the person's code."""
    path = sys.path
    try:
        # The standard library imports parts of itself only now, and must not find files in the working folder.
        sys.path = list(STDLIB)
        return _describe_with_library(error)
    finally:
        sys.path = path


def _describe_with_library(error):
    kind = _type_name(type(error))
    try:
        message = str(error)
    except BaseException:
        message = "(its message could not be made)"
    if isinstance(error, SyntaxError) and error.text is None and error.filename in _sources:
        lines = _sources[error.filename]
        if error.lineno and 0 < error.lineno <= len(lines):
            error.text = lines[error.lineno - 1]
    if isinstance(error, SyntaxError) and type(error.msg) is str:
        message = error.msg
    try:
        traceback = _load("traceback")
        _fill_linecache_with_all(_load("linecache"))
        trace = traceback.TracebackException(type(error), error, error.__traceback__)
        _cut_all(trace, set())
        if trace.stack is not None and not trace.stack:
            text = "".join(trace.format_exception_only())
            if trace.__cause__ is not None or (trace.__context__ is not None and not trace.__suppress_context__):
                text = "".join(trace.format())
        else:
            text = "".join(trace.format())
    except BaseException as problem:
        text = "%s: %s\n(its traceback could not be made: %s)\n" % (kind, message, _type_name(type(problem)))
    return kind, _bound(message, TRACEBACK_LIMIT), _bound(text, TRACEBACK_LIMIT)


# --- variables ---------------------------------------------------------------------------------------------------------


def _is_one_of(kind, kinds):
    """Whether a type is one of these: types are never compared, for what their own type says of it is code of others."""
    for one in kinds:
        if kind is one:
            return True
    return False


def _short(value):
    """A short value of exactly a built-in type, else nothing: no code of others is run."""
    kind = type(value)
    if kind is int:
        return repr(value) if value.bit_length() <= 256 else "%d bits" % value.bit_length()
    if _is_one_of(kind, (bool, float, complex, type(None))):
        return repr(value)
    if kind is str or kind is bytes:
        return repr(value[:60]) + ("…" if len(value) > 60 else "")
    if kind is range or kind is slice:
        parts = (value.start, value.stop, value.step)
        small = all(part is None or type(part) is int and part.bit_length() <= 256 for part in parts)
        return repr(value) if small else None
    return None


def _summary(value):
    """Size and short value for the list of variables."""
    kind = type(value)
    short = _short(value)
    if kind is str:
        return "%d chars" % len(value), short
    if kind is bytes:
        return "%d bytes" % len(value), short
    if short is not None:
        return "", short
    if _is_one_of(kind, _COLLECTIONS):
        size = "%d item%s" % (len(value), "" if len(value) == 1 else "s")
        parts = []
        for item in _islice(value.items() if kind is dict else value, ITEMS_LIMIT):
            texts = [_short(part) for part in (item if kind is dict else (item,))]
            if None in texts:
                return size, ""
            parts.append(": ".join(texts))
        marks = {list: "[]", tuple: "()"}.get(kind, "{}")
        more = ", …" if len(value) > len(parts) else ""
        return size, (marks[0] + ", ".join(parts) + more + marks[1])[:120]
    if _is_of(kind, "pandas", "DataFrame"):
        return "%d rows × %d columns" % value.shape, ""
    if _is_of(kind, "pandas", "Series"):
        return "%d rows" % value.shape[0], ""
    if _is_of(kind, "numpy", "ndarray"):
        return " × ".join(map(str, value.shape)) or "scalar", str(value.dtype)
    return "", ""


def _is_of(kind, module, name):
    """Whether a type is the one that a module has under this name, and not one that says so of itself."""
    module = sys.modules.get(module)
    return type(module) is _MODULE and module.__dict__.get(name) is kind


_FUNCTION = type(_send)
_BUILTIN = type(len)
_MODULE = type(sys)


def _is_variable(name, value):
    """Whether the person's code made it: modules and what was imported from them are left out."""
    if type(name) is not str or name.startswith("_"):
        return False
    kind = type(value)
    if kind is _MODULE or kind is _BUILTIN:
        return False
    if kind is _FUNCTION or kind is type:
        module = value.__module__ if kind is _FUNCTION else _type_dict(value).get("__module__")
        return type(module) is str and module == "__main__"
    return True


# name -> its value as seen after the last block. `_near`, for the newest names: identity, type, size, short value, what
# that was made from, the number of items, and the description as it is sent. `_far`, for names too old to be inspected:
# identity and type. The lists hold all old names in order, with the identities and the types of their values.
_near, _far = {}, {}
_far_names, _far_values, _far_kinds = [], [], []
_COLLECTIONS = (list, tuple, set, frozenset, dict)
ITEMS_LIMIT = 8
# Types whose values are inspected, not just their type; those of libraries by their name there.
_LOOKED_INTO = ("range", "slice", "DataFrame", "Series", "ndarray")


def _unchanging(value):
    """Whether a value is small and can't change: it is kept with what was seen of it, which holds as long as it is this one."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value) <= 1000
    if kind is int:
        return value.bit_length() <= 256
    return value is None or kind is float or kind is bool


def _made_of(value, kind_name, size, short):
    """What the description of a value was made of, and the number of its items: as long as that is the same, so is the
    description. None: it has to be made anew each time."""
    kind = type(value)
    if _unchanging(value):
        return (value,), 0
    if _is_one_of(kind, _COLLECTIONS):
        parts = tuple(_islice(_parts(value), 2 * ITEMS_LIMIT if kind is dict else ITEMS_LIMIT))
        return (parts, len(value)) if all(map(_unchanging, parts)) else (None, 0)
    by_type_alone = not size and not short and kind_name not in _LOOKED_INTO
    return ((), 0) if by_type_alone else (None, 0)


def _parts(value):
    """What a collection holds; of a dictionary, keys and values by turns."""
    return _chain.from_iterable(value.items()) if type(value) is dict else value


def _is_as_seen(value, seen):
    """Whether what was told of a value still holds."""
    kind, parts = seen[1], seen[4]
    if parts is None or type(value) is not kind:
        return False
    if len(parts) == 1 and parts[0] is value:
        return True
    if id(value) != seen[0]:
        return False
    if _is_one_of(kind, _COLLECTIONS):
        return len(value) == seen[5] and all(map(_is, parts, _parts(value)))
    return not parts


def _newest():
    """The newest variables, the oldest of them first, and how many names lie before them."""
    size = 2 * VARIABLES_LIMIT
    while True:
        count = len(NAMES)
        # In a single step: threads of a block may still make names.
        names = list(_islice(reversed(NAMES.items()), size))
        at, newest = 0, []
        while at < len(names) and len(newest) < VARIABLES_LIMIT:
            if _is_variable(*names[at]):
                newest.append(names[at])
            at += 1
        if len(newest) < VARIABLES_LIMIT and size < count:
            # Take all, because many of the others are not variables.
            size = count
        elif len(NAMES) == count:
            return newest[::-1], count - at


def _same_far(first):
    """How many names far back are those that they were after the last block, in the same order, and at which places of them
    is another object, or one of another type. It is asked after each block, so that all are compared at once. None where
    that is much, or no variable any more: then each is looked at."""
    count = len(_far_names)
    if count > first or not all(map(_is, _far_names, NAMES)):
        return 0, ()
    values = list(map(id, _islice(NAMES.values(), count)))
    same_kinds = all(map(_is, _far_kinds, map(type, NAMES.values())))
    if same_kinds and values == _far_values:
        return count, ()
    other = map(_ne, values, _far_values)
    if not same_kinds:
        other = map(_or, other, map(_is_not, _far_kinds, map(type, NAMES.values())))
    moved = list(_compress(_count(), other))
    names = [_far_names[at] for at in moved]
    if len(moved) > count // 4 or not all(_is_variable(name, NAMES.get(name, _MODULE)) for name in names):
        return 0, ()
    return count, moved


def _variables():
    """How many there are, the newest ones with what the block did to them, and counts of added, changed, deleted.

    Of names that lie too far back to be looked into, only identity and type are noted.
    """
    global _near, _far, _far_names, _far_values, _far_kinds
    newest, first = _newest()
    known, moved = _same_far(first)
    far, before, had = _far if known else {}, _far, len(_far) + len(_near)
    names, values, kinds = (_far_names, _far_values, _far_kinds) if known else ([], [], [])
    # Nothing counts as known until all of it is noted.
    _far_names, _far_values, _far_kinds = [], [], []
    near, fields, added, changed = {}, [], 0, 0

    def seen_of(name):
        then = _near.get(name)
        return before.get(name) if then is None else then

    for at in moved:
        name = names[at]
        value = NAMES.get(name)
        then = seen_of(name)
        added += then is None
        changed += then is not None
        far[name] = (id(value), type(value))
        values[at], kinds[at] = id(value), type(value)
    for name, value in list(_islice(NAMES.items(), known, first)):
        kind, then = type(value), seen_of(name)
        names.append(name)
        values.append(id(value))
        kinds.append(kind)
        if then is not None and then[0] == id(value) and then[1] is kind:
            # Still the same variable, which is not inspected.
            far[name] = then
        elif _is_variable(name, value):
            added += then is None
            changed += then is not None
            far[name] = (id(value), kind)
    for name, value in newest:
        then = seen_of(name)
        if then is not None and len(then) > 2 and _is_as_seen(value, then):
            near[name] = then
            fields.append(then[6])
            continue
        kind = type(value)
        kind_name = _type_name(kind)
        try:
            size, short = _summary(value)
            made_of = _made_of(value, kind_name, size, short)
        except Exception:
            size, short, made_of = "", "", (None, 0)
        told = b"".join(map(_field, (name[:200], kind_name[:80], size[:60], short[:160])))
        near[name] = (id(value), kind, size, short, *made_of, told + _field(""))
        # A value that could not be inspected, before or now, counts as changed if it is another object.
        looked = then is not None and then[2:4] not in ((), ("", ""))
        same = then is not None and then[0] == id(value) and then[1] is kind and (not looked or then[2:4] == (size, short))
        mark = "+" if then is None else "" if same else "~"
        added += mark == "+"
        changed += mark == "~"
        fields.append(told + _field(mark))
    count, gone = len(far) + len(near), []
    if had + added != count:
        gone = [name for name in [*(() if known else before), *_near] if name not in far and name not in near]
    for name in gone[:50]:
        fields += map(_field, (name[:200], _type_name(seen_of(name)[1])[:80], "", "", "-"))
    _near, _far, _far_names, _far_values, _far_kinds = near, far, names, values, kinds
    return count, fields, [added, changed, len(gone)]


# --- a block -----------------------------------------------------------------------------------------------------


def _stores_result(tree):
    """Whether a statement of the block itself (not of a function in it) assigns `result`."""
    todo = list(tree.body)
    closed = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Lambda)
    while todo:
        node = todo.pop()
        if isinstance(node, _ast.Name) and node.id == "result" and isinstance(node.ctx, _ast.Store):
            return True
        if isinstance(node, closed):
            continue
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, _ast.AST):
                todo.append(value)
            elif isinstance(value, list):
                todo += [item for item in value if isinstance(item, _ast.AST)]
    return False


def _take_last(tree, text):
    """The expression that a block ends with, taken out of it. None where it has none, or where a semicolon behind it says
    that its value is not to be shown, as in a notebook."""
    if not tree.body or not isinstance(tree.body[-1], _ast.Expr):
        return None
    last = tree.body[-1]
    line, column = last.end_lineno, last.end_col_offset
    lines = text.encode("utf-8", "surrogatepass").splitlines(True)
    behind = b"".join([lines[line - 1][column:]] + lines[line:]) if line <= len(lines) else b""
    if behind.lstrip(b" \t\r\n\f)").startswith(b";"):
        return None
    return tree.body.pop()


def _compile_told(text, label):
    """Compiles a text as [`_compile`] does; what is no Python but a notebook's command is told as that."""
    try:
        return _compile(text, label)
    except SyntaxError as error:
        lines = text.split("\n")
        line = lines[error.lineno - 1].lstrip() if error.lineno and error.lineno <= len(lines) else ""
        if line[:1] in ("%", "!"):
            error.msg = "%s: a line that begins with %s is a notebook's command, and no Python; programs run in blocks of bash" % (
                error.msg,
                line[0],
            )
        raise


def _compile(text, label):
    """Statements, last expression (or None), and whether `result` is assigned."""
    flags = _future_flags
    try:
        tree = compile(text, label, "exec", TREE_FLAG | flags, True)
        last = _take_last(tree, text)
        body = compile(tree, label, "exec", flags, True) if tree.body else None
        inherited = flags | (body.co_flags & FUTURES if body else 0)
        value = compile(_ast.Expression(last.value), label, "eval", inherited, True) if last else None
    except SyntaxError:
        if "await" not in text and "async" not in text:
            raise
        flags |= AWAIT_FLAG
        try:
            tree = compile(text, label, "exec", TREE_FLAG | flags, True)
            last = _take_last(tree, text)
            body = compile(tree, label, "exec", flags, True) if tree.body else None
            inherited = flags | (body.co_flags & FUTURES if body else 0)
            value = compile(_ast.Expression(last.value), label, "eval", inherited, True) if last else None
        except SyntaxError:
            # Compile without the flag, for the error that Python itself would report.
            compile(text, label, "exec", _future_flags, True)
            raise
    return body, value, "result" in text and _stores_result(tree), inherited & FUTURES


# annotations, generator_stop, division, barry_as_FLUFL: the effects of `from __future__` that later blocks keep.
FUTURES = 0x1000000 | 0x800000 | 0x20000 | 0x400000


def _evaluate(code):
    """Runs compiled code in the person's namespace; code with a top-level `await` runs in the kernel's event loop."""
    global _loop
    value = eval(code, NAMES)
    if not code.co_flags & 0x80:  # CO_COROUTINE
        return value
    asyncio = _load("asyncio")
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
        asyncio.set_event_loop(_loop)
    task = _loop.create_task(value)
    try:
        return _loop.run_until_complete(task)
    except BaseException:
        if not task.done():
            task.cancel()
            try:
                _loop.run_until_complete(task)
            except BaseException:
                pass
        raise


TOGETHER = "# Blocks that come back together: each tells its end."


def _apart(text):
    """The numbers and texts of blocks that come back together, each in the lines where it stands; else the one text.
    All that stands in the text is in one of them."""
    lines = text.split("\n")
    if lines[0] != TOGETHER:
        return [(None, text)]
    starts = [at for at, line in enumerate(lines) if line.startswith("# block ") and line[8:].isdigit()]
    if not starts:
        return [(None, text)]
    begins, ends = [0] + starts[1:], starts[1:] + [len(lines)]
    texts = ["\n" * begin + "\n".join(lines[begin:end]) for begin, end in zip(begins, ends)]
    return [(lines[start][8:], text) for start, text in zip(starts, texts)]


def _tell_end(number, shown):
    """Tells the end of one of several blocks, with its value, where its output goes."""
    if shown is not None:
        _streams[0].write("\n[value of block %s]\n%s" % (number, shown))
    _streams[0].write("\n[end of block %s]\n" % number)


def _goes_on(part):
    """Tells that this part of the text is over, and waits until it is said whether the one behind it runs."""
    global _running, _interrupted
    part = str(part)
    _send(b"P", part)
    while True:
        _select([CONTROL], [], [])
        # An interrupt ends the wait, but is delayed while a frame is read: a half-read frame would spoil the next.
        _interrupted = False
        _running = False
        kind, fields = _receive()
        _running = True
        if _interrupted:
            raise KeyboardInterrupt
        if kind == b"G" and fields[:2] == [_token, part.encode()]:
            return fields[2] == b"1"


def _exit_code(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    print(code, file=sys.stderr)
    return 1


def _leave_child(error):
    """In a process that the block forked: it ends here and never comes back to the loop."""
    code = 0
    if isinstance(error, SystemExit):
        code = _exit_code(error)
    elif error is not None:
        code = 1
        try:
            sys.stderr.write(_describe(error)[2])
        except BaseException:
            pass
    _flush()
    _exit(code)


def _run_part(body, last, stores, future):
    """Runs a compiled text; gives its value as it is shown."""
    global _future_flags
    value, has_value = None, False
    before = NAMES.get("result", MISSING)
    if body is not None:
        _evaluate(body)
    if last is not None:
        value = _evaluate(last)
        has_value = value is not None
    _future_flags |= future
    if has_value:
        builtins._ = value
    else:
        after = NAMES.get("result", MISSING)
        if after is not MISSING and after is not None and (stores or after is not before):
            value, has_value = after, True
    if _getpid() != PID:
        return None
    shown = _display(value) if has_value else None
    _open_figures()
    return shown


def _run(label, source, path=None):
    """Runs one block, or loads the file of functions that lies at `path`; returns how it ended, exit code, value and error as fields of the last frame."""
    global _running
    error = shown = None
    try:
        try:
            # Always UTF-8, as it was shown to the person: a coding line can't change what the bytes mean.
            text = source.decode("utf-8")
            if text.startswith("\ufeff"):
                text = text[1:]
            _register_source(label, text)
            if path is not None:
                _running = True
                shapes = _load_functions(label, text, path)
                if _getpid() == PID:
                    _send(b"F", shapes)
                text = ""
            # If any part is not valid Python, nothing runs.
            parts = [(number, _compile_told(part, label)) for number, part in _apart(text)]
            _running = True
            for part, (number, compiled) in enumerate(parts, 1):
                shown = _run_part(*compiled)
                if _getpid() != PID or part == len(parts):
                    break
                _flush()
                _tell_end(number, shown)
                shown = None
                if not _goes_on(part):
                    break
        finally:
            _running = False
    except BaseException as raised:
        _running = False
        error = raised
        shown = None
    if _getpid() != PID:
        _leave_child(error)
    if error is None:
        return "ok", 0, shown is not None, shown or "", None
    if isinstance(error, SystemExit):
        return "exit", _exit_code(error), False, "", None
    described = _describe(error)
    try:
        _open_figures()
    except BaseException:
        pass
    error.__traceback__ = None
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "error", 1, False, "", described


# --- the person's own functions ------------------------------------------------------------------------------------


FUNCTIONS_LIMIT = 100
DOC_LIMIT = 2000
_loaded = {}  # path -> its module


def _load_functions(label, text, path):
    """Runs a file of functions as a module of its own, and puts its public functions into the person's names."""
    known = _loaded.get(path)
    # A unique module name: a file called `json.py` must not replace that of the standard library.
    module = _MODULE("sayso_functions_%d" % (len(_loaded) + 1) if known is None else known.__name__)
    module.__file__ = path
    code = compile(text, label, "exec", 0, True)
    sys.modules[module.__name__] = _loaded[path] = module
    eval(code, module.__dict__)
    found = _public_functions(module)
    for each, value in found:
        NAMES[each] = value
    shapes, room = [], SHAPES_LIMIT
    for each, value in found:
        try:
            shape = _load("json").dumps(_shape(each, value))
        except Exception:
            continue  # a function that can't be described can still be called
        if len(shape) <= min(SHAPE_LIMIT, room):
            shapes.append(shape)
            room -= len(shape)
    return "[%s]" % ",".join(shapes)


def _public_functions(module):
    names = module.__dict__.get("__all__")
    chosen = [n for n in names if type(n) is str] if type(names) in (list, tuple) else None
    found = []
    for name, value in list(module.__dict__.items()):
        if type(value) is not _FUNCTION or type(name) is not str:
            continue
        if name in chosen if chosen is not None else not name.startswith("_") and value.__module__ == module.__name__:
            found.append((name, value))
    return found[:FUNCTIONS_LIMIT]


def _shape(name, function):
    """What is told of a function. Nothing of it runs, and no value is shown whose class is somebody else's."""
    inspect = _load("inspect")
    signature = inspect.signature(function)
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional",
        inspect.Parameter.VAR_POSITIONAL: "rest",
        inspect.Parameter.VAR_KEYWORD: "options",
    }
    parameters, written, keyword_only = [], [], False
    for each in list(signature.parameters.values())[:64]:
        kind = kinds.get(each.kind, "named")
        annotation = _annotation(each.annotation) if each.annotation is not inspect.Parameter.empty else ""
        required = each.default is inspect.Parameter.empty and kind not in ("rest", "options")
        plain = None if each.default is inspect.Parameter.empty else _plain(each.default, 3)
        parameters.append({
            "name": each.name, "kind": kind, "annotation": annotation, "required": required, "default": plain,
        })
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(p["kind"] == "rest" for p in parameters):
                written.append("*")
        text = {"rest": "*", "options": "**"}.get(kind, "") + each.name
        if annotation:
            text += ": " + annotation
        if each.default is not inspect.Parameter.empty:
            text += (" = " if annotation else "=") + (plain if plain is not None else "...")
        written.append(text)
        if kind == "positional" and not any(
            p.kind is inspect.Parameter.POSITIONAL_ONLY for p in list(signature.parameters.values())[len(parameters):]
        ):
            written.append("/")
    text = "%s(%s)" % (name, ", ".join(written))
    if signature.return_annotation is not inspect.Signature.empty:
        text += " -> " + _annotation(signature.return_annotation)
    if function.__code__.co_flags & 0x80:  # CO_COROUTINE
        text = "async " + text
    doc = function.__doc__
    doc = inspect.cleandoc(doc) if type(doc) is str else ""
    return {"name": name, "signature": _bound(text, DOC_LIMIT), "doc": _bound(doc, DOC_LIMIT), "parameters": parameters}


def _plain(value, depth):
    """A literal of built-in values, or None."""
    kind = type(value)
    if value is None or kind in (bool, int, float):
        text = repr(value)
        return text if len(text) <= 60 else None
    if kind is str:
        return repr(value) if len(value) <= 60 else None
    if kind in (list, tuple, dict) and depth and len(value) <= 8:
        if kind is dict:
            pairs = [(_plain(k, depth - 1), _plain(v, depth - 1)) for k, v in value.items()]
            return None if any(None in p for p in pairs) else "{%s}" % ", ".join("%s: %s" % p for p in pairs)
        parts = [_plain(item, depth - 1) for item in value]
        if None in parts:
            return None
        if kind is tuple:
            return "(%s%s)" % (", ".join(parts), "," if len(parts) == 1 else "")
        return "[%s]" % ", ".join(parts)
    return None


def _annotation(note, depth=6):
    """An annotation as text: names of classes, and what `typing` makes of them; never the repr of anything."""
    if type(note) is str:
        return note[:200]
    if note is None or note is type(None):
        return "None"
    if note is Ellipsis:
        return "..."
    typing = _load("typing")
    if note is typing.Any:
        return "Any"
    origin = typing.get_origin(note)
    if origin is not None and depth:
        parts = typing.get_args(note)[:20]
        if origin is typing.Literal:
            return "Literal[%s]" % ", ".join(_plain(part, 0) or "'...'" for part in parts)
        if origin is typing.Union or _type_name(type(note)) == "UnionType":
            return " | ".join(_annotation(part, depth - 1) for part in parts)
        if hasattr(note, "__metadata__"):  # Annotated
            return _annotation(parts[0] if parts else origin, depth - 1)
        if type(origin) is type or isinstance(origin, type):
            inner = [
                "[%s]" % ", ".join(_annotation(p, depth - 1) for p in part) if type(part) is list
                else _annotation(part, depth - 1)
                for part in parts
            ]
            return "%s[%s]" % (_type_name(origin), ", ".join(inner)) if inner else _type_name(origin)
    if isinstance(note, type):
        return _type_name(note)
    name = getattr(note, "_name", None) if type(note).__module__ == "typing" else None
    return name if type(name) is str else _type_name(type(note))


# --- packages ------------------------------------------------------------------------------------------------------


PACKAGES = os.environ.pop("SAYSO_PACKAGES", "")
NODE_OPTIONS = os.environ.pop("SAYSO_NODE_OPTIONS", "")
_packages_seen = 0
# As they were at the start: a block may replace functions of `os.path`.
_NODE_PACKAGES = os.path.dirname(PACKAGES)
_is_folder, _is_file = os.path.isdir, os.path.isfile


def _find_new_packages():
    """What was installed since the last block is found, without a restart."""
    global _packages_seen
    try:
        changed = os.stat(PACKAGES).st_mtime_ns if PACKAGES else 0
    except OSError:
        return
    if PACKAGES not in sys.path:
        # At the end, so that existing modules are not replaced.
        sys.path.append(PACKAGES)
    if changed != _packages_seen:
        _packages_seen = changed
        _load("importlib").invalidate_caches()


def _lend_node_packages():
    """Once the session has packages for node, any node that a block starts finds them."""
    if NODE_OPTIONS and "NODE_OPTIONS" not in _own_environ and _is_folder(_NODE_PACKAGES + "/node/node_modules"):
        # node would not start at all if the file did not exist.
        if _is_file(_NODE_PACKAGES + "/node-packages.cjs"):
            _own_environ["NODE_OPTIONS"] = _environ["NODE_OPTIONS"] = NODE_OPTIONS


def _tell_lacking(text, folder, path, packages):
    """Which modules that the text imports, and which packages, are not there. Nothing of them is run.

    `path` is where the kernel looks for modules, for which this one may answer: told as `_module_path` says.
    """
    lacking = []
    try:
        os.chdir(folder)
        if path:
            sys.path[:] = [os.fsdecode(place) for place in path.split(b"\0")]
            sys.path_importer_cache.clear()
        _find_new_packages()
        find = _load("importlib.util").find_spec
        known = getattr(sys, "stdlib_module_names", ())
        for name in _imported(text)[:100]:
            if name not in sys.modules and name not in known and find(name) is None:
                lacking.append("m:" + name)
        for package in packages[:50]:
            if not _is_installed(package):
                lacking.append("p:" + package)
    except BaseException:
        pass  # what can't be found out now shows when the block runs
    _send(b"M", *lacking)


def _is_installed(package):
    end = 0
    while end < len(package) and (package[end].isalnum() or package[end] in "._-"):
        end += 1
    metadata = _load("importlib.metadata")
    try:
        metadata.version(package[:end])
        return True
    except metadata.PackageNotFoundError:
        return False


def _imported(text):
    """Top-level names of the modules that a text imports; what it tries and can do without is left out."""
    tree = compile(text, "<text>", "exec", TREE_FLAG | AWAIT_FLAG, True)
    todo, names = list(tree.body), []
    while todo:
        node = todo.pop(0)
        if isinstance(node, _ast.Import):
            names += [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, _ast.ImportFrom) and not node.level and node.module:
            names.append(node.module.split(".")[0])
        if isinstance(node, _ast.Try) and node.handlers:
            todo += node.orelse + node.finalbody
            continue
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                todo += inner
    return sorted(set(names), key=names.index)


# --- the loop ----------------------------------------------------------------------------------------------------


def _on_interrupt(number, frame):
    """An interrupt reaches the block; an idle kernel is not disturbed by it."""
    global _interrupted
    _interrupted = True
    if _running:
        raise KeyboardInterrupt


def _on_nudge(number, frame):
    """Does nothing: its signal ends a wait that began when an interrupt had come and was not looked at yet."""


_own_print = print


def _print(*values, sep=" ", end="\n", file=None, flush=False):
    """`print`, but a line is one write: lines of several processes do not mix."""
    if file is None and (type(sep) is str or sep is None) and (type(end) is str or end is None):
        stream = sys.stdout
        if stream in _streams:
            text = (" " if sep is None else sep).join(map(str, values))
            stream.write(text + ("\n" if end is None else end))
            return
    _own_print(*values, sep=sep, end=end, file=file, flush=flush)


_print.__name__ = _print.__qualname__ = "print"


def _no_input(prompt=""):
    raise EOFError(NO_INPUT)


_own_builtins = {}


def _repair():
    """What the kernel needs to go on, whatever the block did to it."""
    now = builtins.__dict__
    for name, original in _own_builtins.items():
        current = now.get(name, MISSING)
        if current is original:
            continue
        if current is MISSING or (callable(original) and not callable(current)):
            now[name] = original
    try:
        if _getsignal(signal.SIGINT) is not _on_interrupt:
            _setsignal(signal.SIGINT, _on_interrupt)
    except (ValueError, OSError, AttributeError, TypeError):
        pass
    if sys.modules.get("__main__") is not MAIN:
        sys.modules["__main__"] = MAIN
    if type(sys.path) is not list:
        sys.path = [""] + STDLIB
    if sys.getrecursionlimit() < 200:
        sys.setrecursionlimit(1000)
    sys.settrace(None)
    sys.setprofile(None)


_FILES = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


def _flush_files():
    """Writes out what open files hold back that variables name: between blocks this process stands still, and it is
    ended without another word."""
    for value in list(NAMES.values()):
        if type(value) in _FILES:
            try:
                value.flush()
            except Exception:
                pass  # it is closed, or was opened for reading


def _folder():
    try:
        return os.getcwd()
    except OSError:
        return ""


def _module_path():
    """Where modules are looked for, for whoever answers about them while this kernel stands still."""
    try:
        places = [place for place in sys.path[:200] if isinstance(place, str) and len(place) < PATH_LIMIT]
        return b"\0".join(map(os.fsencode, places))
    except BaseException:
        return b""


_environ = os.environ
_own_environ = dict(_environ)
_put = {}  # name -> value of variables that were set for programs, through `os.environ` or directly
_own_putenv, _own_unsetenv = os.putenv, os.unsetenv
_own_hooks = []
STEERING = ("LD_", "DYLD_", "PYTHON", "GIT_", "BASH_FUNC_")
STEERING_NAMES = (
    "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT",
)


def _putenv(name, value):
    """`os.putenv`, of which `os.environ` is told nothing."""
    _own_putenv(name, value)
    _put[os.fsdecode(name)] = os.fsdecode(value)


_putenv.__name__ = _putenv.__qualname__ = "putenv"


def _take_out_what_steers():
    """Gives the variables back that were there first; the names of those that were not."""
    seen = {name: _environ[name] for name in _environ}
    left = []
    for where in (seen, _put):
        for name, value in list(where.items()):
            if _steers(name) and value != _own_environ.get(name):
                left.append(name)
    for name in left:
        own = _own_environ.get(name)
        _environ.pop(name, None)
        _put.pop(name, None)
        _own_unsetenv(name)
        if own is not None:
            _environ[name] = own
    return sorted(set(left))


def _found_changed():
    """What the blocks so far have changed for all code after them, in words, as far as it shows here.

    Whoever wants to hide something from this can; it is told as found, and its absence as nothing.
    """
    found = []
    for look in (_look_at_interpreter, _look_at_environment):
        try:
            look(found)
        except BaseException:
            found.append("the interpreter could not be looked at")
    return found


def _look_at_interpreter(found):
    now = builtins.__dict__
    replaced = [name for name, own in _own_builtins.items() if now.get(name, MISSING) is not own]
    if replaced:
        found.append("builtins replaced: " + ", ".join(replaced[:8]))
    hooks = [hook for hook in list(sys.meta_path) + list(sys.path_hooks) if _is_hook_of_block(hook)]
    if hooks:
        names = [_type_name(hook if isinstance(hook, type) else type(hook)) for hook in hooks[:8]]
        found.append("import hooks: " + ", ".join(names))


def _look_at_environment(found):
    path = _own_environ.get("PATH")
    if _environ.get("PATH") != path or _put.get("PATH", path) != path:
        found.append("PATH changed")
    if os.environ is not _environ:
        found.append("os.environ replaced")
    left = _take_out_what_steers()
    if left:
        found.append("not carried over: " + ", ".join(name[:NAME_LIMIT] for name in left[:8]))


def _is_hook_of_block(hook):
    # Nearly every data library imports this compatibility library, which adds a hook.
    module = _type_module(type(hook))
    known = type(module) is str and module.split(".")[-1] == "six"
    return not known and not any(hook is own for own in _own_hooks)


def _steers(name):
    """Whether a variable makes loaders, interpreters or git start something else first."""
    return name.startswith(STEERING) or name in STEERING_NAMES


def _one_block(label, source, path=None):
    how, code, has_value, value, described = "interrupted", 1, False, "", ("KeyboardInterrupt", "", "")
    try:
        _repair()
        _find_new_packages()
        _lend_node_packages()
        _ready_streams()
        how, code, has_value, value, described = _run(label, source, path)
        _flush()
        _flush_files()
        _repair()
    except KeyboardInterrupt:
        pass
    except BaseException as error:
        # An earlier block changed the interpreter in a way that affects the kernel itself.
        kind = _type_name(type(error))
        how, described = "error", (kind, "the kernel itself failed", "%s in the kernel: restart it\n" % kind)
    kind, message, traceback = described or ("", "", "")
    try:
        count, fields, counts = _variables()
    except BaseException:
        count, fields, counts = 0, [], []
    _send_made(b"V", *fields)
    folder = _folder().encode("utf-8", "surrogateescape")
    _send(
        b"D", how, str(code), b"1" if has_value else b"0", value, kind, message, traceback, folder, str(count),
        " ".join(map(str, counts)), _module_path(), *_found_changed(),
    )


def _main():
    global _token
    os.set_inheritable(CONTROL, False)
    for fd in (1, 2):
        copy = _copy_out_of_the_way(fd)
        stat = _fstat(fd)
        _saved_fds[fd] = (copy, (stat.st_dev, stat.st_ino))
    os.register_at_fork(after_in_child=_leave_channel)
    _setsignal(signal.SIGINT, _on_interrupt)
    _setsignal(signal.SIGURG, _on_nudge)
    builtins.input = _no_input
    builtins.print = _print
    builtins.display = display
    os.putenv = _putenv
    _own_builtins.update(builtins.__dict__)
    _ready_streams()
    try:
        import faulthandler

        faulthandler.enable(2, all_threads=False)
    except Exception:
        pass
    for name in [n for n in NAMES if not n.startswith("__")]:
        del NAMES[name]
    sys.argv = [""]
    sys.meta_path.insert(0, _Watch)
    _add_user_site()
    sys.path.insert(0, "")
    _find_new_packages()
    _own_hooks.extend(list(sys.meta_path) + list(sys.path_hooks))
    _send(b"H", "%d.%d.%d" % sys.version_info[:3], sys.executable or "")
    loaded = False
    while True:
        if not loaded and not _waiting():
            _preload()
            loaded = True
            _send(b"W")
        kind, fields = _receive()
        if kind == b"G":
            continue  # the source that it answers was interrupted
        if kind not in (b"R", b"L", b"M"):
            return
        _token = fields[0]
        if kind == b"M":
            packages = [field.decode("utf-8") for field in fields[4:]]
            _tell_lacking(fields[1].decode("utf-8"), fields[2], fields[3], packages)
            continue
        path = os.fsdecode(fields[3]) if kind == b"L" else None
        _one_block(fields[1].decode("utf-8"), fields[2], path)


def _leave_channel():
    """Closes the channel in a child, once: in a child of that child the number may belong to another file."""
    global _has_channel
    if _has_channel:
        _has_channel = False
        _close(CONTROL)


def _copy_out_of_the_way(fd):
    """A copy under a number that programs do not use; lower where few files may be open."""
    for number in (200, 24):
        try:
            return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, number)
        except OSError:
            pass
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)


def _waiting():
    return _ioctl(CONTROL, FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"


def _add_user_site():
    """Packages that the person installed for the account; isolated mode leaves them out."""
    site = sys.modules.get("site")
    if site is None or sys.prefix != sys.base_prefix:
        return
    try:
        folder = site._get_path(site._getuserbase())
        if os.path.isdir(folder) and os.stat(folder).st_uid == os.getuid():
            site.addsitedir(folder)
            STDLIB[:] = list(sys.path)
    except Exception:
        pass


_main()
