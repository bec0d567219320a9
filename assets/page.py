"""The words of a page of HTML: its lines, and its tables in columns. It stands between `display.py` and `kernel.py`."""

_LINES = ("address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav "
    "ol p pre section table tr ul").split()


def _text_of_html(text):
    """The words of a page, its tables in columns."""
    parser, blanks = _load("html.parser").HTMLParser(), _load("re").compile(r"\s+")
    # The output; the rows of the open table; open tags that hide text; open tags that keep white space.
    found, rows, hidden, kept = [], [], [], []
    # For each column, how many more rows a cell from above still covers.
    reach = {}

    def open_cell(attributes):
        row = rows[-1]
        while reach.get(len(row), 0) > 0:
            reach[len(row)] -= 1
            row.append([])
        down = _spanned(attributes, "rowspan") - 1
        for _ in range(_spanned(attributes, "colspan")):
            reach[len(row)] = down
            row.append([])

    def write(words):
        (rows[-1][-1] if rows and rows[-1] else found).append(words)

    def close_table():
        cells = [[" ".join("".join(cell).split()) for cell in row] for row in rows]
        rows.clear()
        reach.clear()
        found.append("\n" + _aligned(row for row in cells if any(row)) + "\n")

    def begin(tag, attributes):
        if tag in ("style", "script", "title"):
            hidden.append(tag)
        elif tag == "tr":
            rows.append([])
        elif tag in ("td", "th") and rows:
            open_cell(attributes)
        elif tag in _LINES:
            kept.extend(["pre"] if tag == "pre" else [])
            write("\n")

    def end(tag):
        if hidden and hidden[-1] == tag:
            hidden.pop()
        elif tag == "table" and rows:
            close_table()
        elif tag in _LINES and tag != "tr":
            if tag == "pre" and kept:
                kept.pop()
            write("\n")

    def data(words):
        if not hidden:
            write(words if kept else blanks.sub(" ", words))

    parser.handle_starttag, parser.handle_endtag, parser.handle_data = begin, end, data
    parser.feed(text)
    parser.close()
    if rows:
        close_table()
    lines = [line.rstrip() for line in "".join(found).split("\n")]
    return "\n".join(line for line in lines if line)


def _spanned(attributes, name):
    """How many columns or rows a cell takes."""
    span = dict(attributes).get(name) or ""
    return min(int(span), 100) if span.isdecimal() else 1


def _aligned(rows):
    """Rows of cells, each column as wide as its widest cell; figures stand at its right."""
    rows = list(rows)
    widths = []
    for row in rows:
        widths.extend([0] * (len(row) - len(widths)))
        widths[: len(row)] = [max(width, len(cell)) for width, cell in zip(widths, row)]
    right = [bool(rows) and _are_figures([row[at] for row in rows[1:] if at < len(row)]) for at in range(len(widths))]

    def lay(cell, width, ends):
        return cell.rjust(width) if ends else cell.ljust(width)

    return "\n".join("  ".join(map(lay, row, widths, right)).rstrip() for row in rows)


def _are_figures(cells):
    figures = [cell.strip("+-−%$€ ").replace(",", "").replace(".", "") for cell in cells if cell]
    return bool(figures) and all(map(str.isdecimal, figures))


