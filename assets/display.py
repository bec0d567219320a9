"""What a block shows: the value of its last expression, figures and pictures.

It stands in front of `kernel.py` in one text with it. A value is shown as its own library shows it, inside the run and
under its limits, as a notebook does: by `_ipython_display_`, as a picture (`_repr_mimebundle_`, `_repr_png_`), or by the
text of those, its `repr()`, or the words of its page (`_repr_html_`, in `page.py`). Containers of the language that do
not fit a row are laid out as IPython lays them out (`IPython.lib.pretty`), short numbers many to a row.
"""

import io
import sys
from itertools import islice as _islice

VALUE_LIMIT = 256 * 1024
PICTURE_LIMIT = 40_000_000
ROW = 79  # columns, as in IPython
ITEMS = 1000  # shown of a container, as in IPython
DEPTH = 40


_figures = 0


# --- figures -----------------------------------------------------------------------------------------------------


def _complete_pyplot(pyplot):
    """`show()` hands the open figures over and closes them, as closing their windows would."""

    def show(*args, **kwargs):
        _show_figures(pyplot)

    pyplot.show = show


def _complete_figure(module):
    def show(self, warn=True):
        _send_figure(self)

    module.Figure.show = show


def _show_figures(pyplot):
    for number in list(pyplot.get_fignums()):
        figure = pyplot.figure(number)
        try:
            _send_figure(figure)
        finally:
            pyplot.close(figure)


def _send_image(data, kind="image", label=None, end=".png"):
    """The bytes of a picture, named by their label or numbered; where no message has room for them, that is told."""
    global _figures
    if _getpid() != PID:
        # In a process that the block forked, the socket is closed, and its number may belong to a file.
        return
    if len(data) > FRAME_LIMIT - 4096:
        _print("a picture of %d MiB is not shown: there is room for %d" % (len(data) >> 20, FRAME_LIMIT >> 20))
        return
    _figures += 1
    name = label if type(label) is str and label else "%s-%d" % (kind, _figures)
    _send(b"I", name[:80] + end, data)


def _send_figure(figure):
    data = io.BytesIO()
    figure.savefig(data, format="png")
    _send_image(data.getvalue(), "figure", figure.get_label())


def _complete_pil(module):
    def show(self, *args, **kwargs):
        _send_picture(self)

    module.Image.show = show


def _send_picture(picture):
    """An image of PIL, as PNG; a huge one smaller."""
    if picture.width * picture.height > PICTURE_LIMIT:
        picture = picture.copy()
        picture.thumbnail((4096, 4096))
    if picture.mode not in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        picture = picture.convert("RGBA" if "A" in picture.mode else "RGB")
    data = io.BytesIO()
    picture.save(data, "PNG")
    _send_image(data.getvalue())


def _complete_plotly(module):
    def show(self, *args, **kwargs):
        _send_plot(self)

    module.BaseFigure.show = show


def _send_plot(figure):
    """A figure of plotly as an image where kaleido can make one, else as a page in the working folder, named."""
    if _getpid() != PID:
        return
    try:
        data = figure.to_image(format="png")
    except Exception:
        data = None
    if type(data) is bytes:
        _send_image(data, "figure")
        return
    number = 1
    while True:
        name = "figure-%d.html" % number
        try:
            with open(name, "x", encoding="utf-8") as page:
                page.write(figure.to_html(include_plotlyjs=True))
            break
        except FileExistsError:
            number += 1
    print("plotly figure written to %s; with the package kaleido it is shown as an image" % name)


def _shows_itself(value, now):
    """Whether a value is a picture, which is sent instead of written out: at once, or with what is open at the end."""
    kind = type(value)
    top = _top_module(kind)
    if top == "PIL" and "PIL.Image" in sys.modules and isinstance(value, sys.modules["PIL.Image"].Image):
        _send_picture(value)
        return True
    base = sys.modules.get("plotly.basedatatypes")
    if top == "plotly" and base is not None and isinstance(value, base.BaseFigure):
        _send_plot(value)
        return True
    module = sys.modules.get("matplotlib.figure")
    if top == "matplotlib" and module is not None and isinstance(value, module.Figure):
        pyplot = sys.modules.get("matplotlib.pyplot")
        is_open = pyplot is not None and getattr(value, "number", None) in pyplot.get_fignums()
        if now or not is_open:
            _send_figure(value)
        return True
    return False


def _sends_picture(value, bundle):
    """Whether a value gives itself as a picture, as a notebook asks it to. A drawing (SVG) is sent, and its text shown
    too: not everybody who reads it sees drawings."""
    for mime, name, end, head in (
        ("image/png", "_repr_png_", ".png", b"\x89PNG\r\n\x1a\n"),
        ("image/jpeg", "_repr_jpeg_", ".jpg", b"\xff\xd8\xff"),
    ):
        data = bundle[mime] if mime in bundle else _asked(value, name)
        if type(data) is str:
            data = _load("base64").b64decode(data)
        if type(data) is bytes and data.startswith(head):
            _send_image(data, end=end)
            return True
    data = bundle["image/svg+xml"] if "image/svg+xml" in bundle else _asked(value, "_repr_svg_")
    if type(data) is not str or "<svg" not in data[:4096]:
        return False
    _send_image(data.encode("utf-8", "replace"), end=".svg")
    text = bundle.get("text/plain")
    return _says_nothing(text if type(text) is str else repr(value))


def _says_nothing(text):
    """Whether a text is only the name of a type: `<IPython.core.display.SVG object>`."""
    return text.startswith("<") and text.endswith(">") and " object" in text and "\n" not in text


def _open_figures():
    """Figures that the block left open."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not hasattr(pyplot, "get_fignums"):
        return
    _show_figures(pyplot)


# --- values ------------------------------------------------------------------------------------------------------


def _display(value, now=False):
    """Shows a value: sends it where it is a picture, else gives its text. An error in its own code is told."""
    kind = type(value)
    try:
        if _shows_itself(value, now):
            return None
        if kind in _PLAIN or _brackets(value) is not None or isinstance(value, type):
            return _bound(_text(value, {}), VALUE_LIMIT)
        if _displays_itself(value):
            return None
        bundle = _asked(value, "_repr_mimebundle_", include=None, exclude=None)
        bundle = bundle if type(bundle) is dict else {}
        if _sends_picture(value, bundle):
            return None
        return _bound(_text(value, bundle), VALUE_LIMIT)
    except KeyboardInterrupt:
        raise
    except Exception as error:
        return "<%s, showing it failed with %s>" % (_type_name(kind), _describe_shortly(error))


_PLAIN = (int, float, bool, complex, str, bytes, bytearray)


def _displays_itself(value):
    """Whether a value has code that displays it, which was run."""
    method = getattr(type(value), "_ipython_display_", None)
    if not callable(method):
        return False
    try:
        method(value)
    except NotImplementedError:
        return False
    return True


def display(*values, **_options):
    """Shows values as a notebook does: each as the last one of a block is shown, among what is printed."""
    for value in values:
        text = _display(value, now=True)
        if text is not None:
            print(text)


def _describe_shortly(error):
    try:
        text = str(error).split("\n", 1)[0][:200]
    except Exception:
        text = ""
    return _type_name(type(error)) + (": " + text if text else "")


def _top_module(kind):
    module = _type_module(kind)
    return module.split(".", 1)[0] if type(module) is str else ""


def _text(value, bundle):
    """The text of a value by its own rules; `bundle` is what it gave of itself by kinds, where it was asked."""
    kind = type(value)
    if kind in (str, bytes, bytearray):
        return _text_of_characters(value, VALUE_LIMIT)
    if _brackets(value) is not None:
        return _laid_out(value)
    if isinstance(value, type) and kind.__repr__ is type.__repr__:
        module, name = _type_module(value), value.__qualname__
        return name if type(module) is not str or module == "builtins" else "%s.%s" % (module, name)
    plain = bundle.get("text/plain")
    if type(plain) is str and not _says_nothing(plain):
        return plain.rstrip("\n")
    pretty = _pretty(value)
    if pretty is not None:
        return pretty
    own = kind.__repr__ is not object.__repr__
    if own and _top_module(kind) == "pandas" and "pandas" in sys.modules:
        return _text_of_pandas(value)
    text = repr(value) if own else None
    if text is None or type(text) is str and _says_nothing(text):
        other = _text_for_people(value, bundle)
        if other is not None:
            return other
    if text is None:
        text = repr(value)
    return text if isinstance(text, str) else "<%s>" % _type_name(kind)


def _text_of_characters(value, limit):
    """A text or bytes; of a long one the beginning."""
    return repr(value) if len(value) <= limit else "%s… (%d long)" % (repr(value[: limit // 4]), len(value))


def _text_of_pandas(value):
    """A table in whole rows: the pane scrolls sideways. What the person set (`display.max_rows`) holds."""
    pandas = sys.modules["pandas"]
    options = ["display.expand_frame_repr", False, "display.show_dimensions", True]
    # Zero means the size of the terminal, but there is none.
    for name, most in (("display.max_columns", 20), ("display.max_rows", 60)):
        if pandas.get_option(name) == 0:
            options += [name, most]
    with pandas.option_context(*options):
        return repr(value)


def _text_for_people(value, bundle):
    """The text of a value whose `repr()` says nothing and that shows itself in another way."""
    for kind in ("markdown", "latex", "html"):
        mime = "text/" + kind
        text = bundle[mime] if mime in bundle else _asked(value, "_repr_%s_" % kind)
        if type(text) is str:
            return _text_of_html(text) if kind == "html" else text
    data = bundle["application/json"] if "application/json" in bundle else _asked(value, "_repr_json_")
    return None if data is None or data is value else _text(data, {})


_being_shown = []


def _pretty(value):
    """The text that a value writes by `_repr_pretty_`, where its type has that and no `__repr__` of a nearer class."""
    for kind in type(value).__mro__:
        own = _type_dict(kind)
        if callable(own.get("_repr_pretty_")):
            break
        if kind is object or "__repr__" in own:
            return None
    else:
        return None
    printer, again = _Printer(), any(value is open for open in _being_shown)
    _being_shown.append(value)
    try:
        own["_repr_pretty_"](value, printer, again)
    finally:
        _being_shown.pop()
    return printer._text()


class _Printer:
    """What `_repr_pretty_` writes to, as IPython's (`IPython.lib.pretty`): a group that does not fit its row is broken
    wherever it may be."""

    max_width = ROW
    max_seq_length = ITEMS

    def __init__(self):
        self.indentation = 0
        self._open = [[]]

    def text(self, text):
        self._open[-1].append(text)

    def breakable(self, sep=" "):
        self._open[-1].append((sep, self.indentation))

    def break_(self):
        self._open[-1].append(("\n" + " " * self.indentation, self.indentation))

    def begin_group(self, indent=0, open=""):
        self.text(open)
        self._open.append([])
        self.indentation += indent

    def end_group(self, dedent=0, close=""):
        self.indentation -= dedent
        group = self._open.pop()
        self._open[-1].append(group)
        self.text(close)

    def group(self, indent=0, open="", close=""):
        return _Within(lambda: self.begin_group(indent, open), lambda: self.end_group(indent, close))

    def indent(self, indent):
        def move(by):
            self.indentation += by

        return _Within(lambda: move(indent), lambda: move(-indent))

    def pretty(self, value):
        self.text(_flat(_tree(value, (), [ITEMS, 0])))

    def flush(self):
        pass

    def _text(self):
        while len(self._open) > 1:
            self.end_group()
        return self._row(self._open[0], 0)

    def _row(self, group, column):
        row = self._on_one(group)
        if "\n" not in row and column + len(row) <= ROW:
            return row
        rows = ""
        for part in group:
            if type(part) is tuple:
                rows += "\n" + " " * part[1]
            else:
                at = len(rows) - rows.rfind("\n") - 1 if "\n" in rows else column + len(rows)
                rows += part if type(part) is str else self._row(part, at)
        return rows

    def _on_one(self, group):
        parts = (part if type(part) is str else part[0] if type(part) is tuple else self._on_one(part) for part in group)
        return "".join(parts)


class _Within:
    def __init__(self, enter, leave):
        self.enter, self.leave = enter, leave

    def __enter__(self):
        self.enter()

    def __exit__(self, *error):
        self.leave()


def _asked(value, name, **arguments):
    """What a method of a value's type gives, where there is one."""
    method = getattr(type(value), name, None)
    if method is None or isinstance(value, type):
        return None
    try:
        found = method(value, **arguments)
    except Exception:
        return None  # another representation is used
    return found[0] if type(found) is tuple and found else found


def _brackets(value):
    """What stands around the items of a container of the language; None for anything else."""
    kind = type(value)
    found = _BRACKETS.get(kind)
    if found is not None or _top_module(kind) != "collections":
        return found
    name = _type_name(kind)
    if getattr(sys.modules.get("collections"), name, None) is not kind:
        return None
    if name == "OrderedDict":
        return "OrderedDict([", "])"
    if name == "Counter":
        return "Counter({", "})"
    if name == "defaultdict":
        return "defaultdict(%s, {" % _text_of_item(value.default_factory), "})"
    if name == "deque":
        return "deque([", "])" if value.maxlen is None else "], maxlen=%d)" % value.maxlen
    return None


_BRACKETS = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


# Follows the last item of a container that is cut.
_MORE = "".join(("..", "."))


def _laid_out(value):
    """A container of the language on one row, or on as many as it takes; what is not shown of it is counted."""
    size, left = len(value), [4 * ITEMS, 0]
    tree = _tree(value, (), left)
    text, told = _lay(tree, 0, 0), []
    if type(tree) is tuple and tree[3][-1][1] is _MORE:
        shown = len(tree[3]) - 1
        left[1] -= size - shown
        told.append("%d items, the first %d shown" % (size, shown))
    if left[1] > 0:
        told.append("%d items inside are not shown" % left[1])
    return "\n".join([text] + (["; ".join(told)] if told else []))


def _tree(value, above, left):
    """A value as its text, or as (opening, closing, whether its items fill rows, [(key, value)]); `left` counts down
    what is looked at in all, and then up the items that are not shown."""
    kind = type(value)
    brackets = _brackets(value)
    if brackets is None:
        return _text_of_item(value)
    opening, closing = brackets
    if not value:
        empty = {set: "set()", frozenset: "frozenset()"}.get(kind, opening + closing)
        return _type_name(kind) + "()" if _type_name(kind) in ("OrderedDict", "Counter") else empty
    if id(value) in above:
        return opening + "..." + closing
    if len(above) > DEPTH or left[0] <= 0:
        return "%s of %d" % (_type_name(kind), len(value))
    above += (id(value),)
    items = []
    plain, paired = True, closing.startswith("}") and isinstance(value, dict)
    # Copied before any item is shown: the code of one may change the container.
    for item in list(_islice(_in_order(value), ITEMS + 1)):
        if len(items) == ITEMS or left[0] <= 0:
            left[1] += len(value) - len(items)
            items.append(("", _MORE))
            break
        left[0] -= 1
        key, inner = item if paired else (None, item)
        plain = plain and not paired and type(inner) in (int, float, bool, complex)
        items.append((_flat(_tree(key, above, left)) + ": " if paired else "", _tree(inner, above, left)))
    if kind is tuple and len(items) == 1:
        closing = ",)"
    return opening, closing, plain, items


def _in_order(value):
    """The items as they are shown, with their keys: of a set sorted where they can be, of a counter the most frequent
    first. No key is looked up: that may fail, or add one."""
    kind = type(value)
    pairs = dict.items(value) if isinstance(value, dict) else value
    try:
        if kind in (set, frozenset) and len(value) <= ITEMS:
            return sorted(value)
        if _type_name(kind) == "OrderedDict":
            return list(_islice(value.items(), ITEMS + 1))
        if _type_name(kind) == "Counter":
            return _load("heapq").nlargest(ITEMS + 1, pairs, key=lambda pair: pair[1])
    except Exception:
        pass  # they can't be sorted
    return pairs


def _text_of_item(value):
    kind = type(value)
    if kind is int or kind is float or kind is bool:
        return repr(value)
    if kind in (str, bytes, bytearray):
        return _text_of_characters(value, VALUE_LIMIT // 8)
    try:
        text = _text(value, {})
    except KeyboardInterrupt:
        raise
    except Exception as error:
        return "<%s, showing it failed with %s>" % (_type_name(kind), _describe_shortly(error))
    return _bound(text, VALUE_LIMIT // 8)


def _flat(node):
    if type(node) is str:
        return node
    opening, closing, _, items = node
    return opening + ", ".join(key + _flat(inner) for key, inner in items) + closing


def _width(node, most):
    """The columns of a node on one row, or more than `most`."""
    if type(node) is str:
        return most + 1 if "\n" in node else len(node)
    opening, closing, _, items = node
    width = len(opening) + len(closing) + 2 * len(items) - 2
    for key, inner in items:
        width += len(key) + _width(inner, most)
        if width > most:
            return width
    return width


def _lay(node, indent, behind):
    """A node whose first row begins at a column; so many characters come behind its last one."""
    if type(node) is str:
        return node.replace("\n", "\n" + " " * indent)
    room = ROW - indent - behind
    if _width(node, room) <= room:
        return _flat(node)
    opening, closing, plain, items = node
    at = indent + len(opening)
    if plain:
        return opening + _filled([inner for _, inner in items], at, len(closing) + behind) + closing
    last = len(items) - 1
    parts = []
    for number, (key, inner) in enumerate(items):
        after = len(closing) + behind if number == last else 1
        parts.append(key + _lay(inner, at + len(key), after))
    return opening + (",\n" + " " * at).join(parts) + closing


def _filled(texts, indent, behind):
    """Short texts, as many to a row as there is room for."""
    rows, width = [[]], indent
    for number, text in enumerate(texts):
        more = len(text) + (behind if number + 1 == len(texts) else 2)
        if rows[-1] and width + more > ROW:
            rows.append([])
            width = indent
        rows[-1].append(text)
        width += len(text) + 2
    return (",\n" + " " * indent).join(", ".join(row) for row in rows)


def _bound(text, limit):
    if len(text) <= limit:
        return text
    head = limit // 4
    tail = limit - head
    return "%s\n… %d characters left out …\n%s" % (text[:head], len(text) - limit, text[-tail:])


