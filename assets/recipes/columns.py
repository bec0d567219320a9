def _columns(file, most=200_000):
    """What is in a table: its rows, and of each column the type, the empty cells and what stands in it."""
    import csv, datetime, itertools, json
    ending = file.lower().rsplit(".", 1)[-1]
    if ending in ("parquet", "feather", "xlsx", "xls"):
        import pandas
        frame = getattr(pandas, "read_" + {"xlsx": "excel", "xls": "excel"}.get(ending, ending))(file)
        rows = frame.head(most).astype(object).where(frame.head(most).notna(), "").to_dict("records")
    elif ending in ("json", "jsonl", "ndjson"):
        with open(file, encoding="utf-8-sig", errors="replace") as text:
            found = json.load(text) if ending == "json" else [json.loads(line) for line in itertools.islice(text, most) if line.strip()]
        found = next((value for value in found.values() if isinstance(value, list)), [found]) if isinstance(found, dict) else found
        rows = [row if isinstance(row, dict) else {"value": row} for row in found[:most]]
    else:
        with open(file, newline="", encoding="utf-8-sig", errors="replace") as text:
            head = text.read(65_536)
            text.seek(0)
            try:
                dialect = csv.Sniffer().sniff(head, delimiters=",;\t|")
            except csv.Error:
                dialect = csv.excel_tab if "\t" in head.split("\n")[0] else csv.excel
            rows = list(itertools.islice(csv.DictReader(text, dialect=dialect), most))

    def kind(text):
        for name, read in (("number", float), ("date", datetime.datetime.fromisoformat)):
            try:
                read(text)
                return name
            except ValueError:
                pass
        return "text"

    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    more = ", and perhaps more" if len(rows) == most else ""
    print(f"{file}: {len(rows)} rows{more}, {len(names)} columns")
    table = [("column", "type", "empty", "different", "smallest to largest, or examples")]
    for name in names[:200]:
        cells = [str(row.get(name, "") if row.get(name) is not None else "").strip() for row in rows]
        full = [cell for cell in cells if cell.lower() not in ("", "na", "n/a", "nan", "null", "none", "-")]
        kinds = {cell: kind(cell) for cell in dict.fromkeys(full)}
        counts = {one: sum(kinds[cell] == one for cell in full) for one in sorted(set(kinds.values()))}
        types = " + ".join(one if len(counts) == 1 else f"{count} {one}" for one, count in counts.items())
        if list(counts) == ["number"]:
            shown = f"{min(full, key=float)} to {max(full, key=float)}"
        elif list(counts) == ["date"]:
            shown = f"{min(full)} to {max(full)}"
        else:
            odd = [cell for cell in kinds if kinds[cell] == min(counts, key=counts.get)]
            shown = ", ".join(repr(cell[:30]) for cell in odd[:4])
        table.append((name[:40], types or "-", str(len(cells) - len(full)), str(len(kinds)), shown[:90]))
    widths = [max(len(row[at]) for row in table) for at in range(4)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[4])
    same = len(rows) - len({tuple(map(str, row.values())) for row in rows})
    print(f"rows that stand there twice: {same}")


