def _columns(folder, file, most=200_000):
    import csv, datetime, gzip, itertools, json, os, re
    name = file.lower()[:-3] if file.lower().endswith(".gz") else file.lower()
    opened = gzip.open if file.lower().endswith(".gz") else open
    with opened(os.path.join(folder, file), "rt", newline="", encoding="utf-8-sig", errors="replace") as text:
        if name.endswith((".json", ".jsonl", ".ndjson")):
            if name.endswith(".json"):
                found = json.load(text)
                found = found if isinstance(found, list) else [found]
            else:
                found = [json.loads(line) for line in itertools.islice(text, most) if line.strip()]
            found = [row for row in found[:most] if isinstance(row, dict)]
            names = list(dict.fromkeys(key for row in found for key in row))[:1000]
            cell = lambda value: "" if value is None else value if isinstance(value, str) else json.dumps(value)
            rows = [[cell(row.get(name)) for name in names] for row in found]
        else:
            by = max(",;\t|", key=text.readline().count)
            text.seek(0)
            lines = csv.reader(text, delimiter=by)
            names = next(lines, [])
            rows = [row for row in itertools.islice(lines, most) if row]
    print(f"{file}: {len(rows)} rows" + ", and perhaps more" * (len(rows) == most))
    longer = sum(len(row) > len(names) for row in rows)
    if longer:
        print(f"  {longer} rows have more cells than there are columns")
    grouped = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
    comma = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")
    dated = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})\b.*")

    def kind(cell):
        try:
            return "numbers", float(cell)
        except ValueError:
            pass
        if grouped.fullmatch(cell):
            return "numbers with commas between thousands", float(cell.replace(",", ""))
        if comma.fullmatch(cell):
            return "numbers with a decimal comma", float(cell.replace(".", "").replace(",", "."))
        if re.match(r"\d{4}-\d\d-\d\d", cell):
            try:
                datetime.datetime.fromisoformat(cell.replace("Z", "+00:00"))
                return "dates", cell
            except ValueError:
                pass
        return ("dates of another form" if dated.fullmatch(cell) else "texts"), cell

    for at, name in enumerate(names):
        cells = [row[at].strip() if at < len(row) else "" for row in rows]
        full = [cell for cell in cells if cell.lower() not in ("", "-", "na", "n/a", "nan", "null", "none")]
        kinds = {}
        for cell in full:
            found, value = kind(cell)
            kinds.setdefault(found, []).append(value)
        told = [f"{len(cells) - len(full)} empty"]
        for found in sorted(kinds):
            values = kinds[found]
            if found.startswith("numbers"):
                told.append(f"{len(values)} {found} from {min(values):g} to {max(values):g}")
            elif found == "dates":
                told.append(f"{len(values)} dates from {min(values)[:40]} to {max(values)[:40]}")
            else:
                some = [text[:60] for text in sorted(set(values))[:5]]
                told.append(f"{len(values)} {found}, {len(set(values))} different: {some}")
        # A name may hold what ends a line.
        shown = repr(name)[1:-1] if name.isprintable() and name else repr(name)
        print(f"  {shown}: " + "; ".join(told))

