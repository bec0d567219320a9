def _columns(folder, file, most=200_000):
    import csv, itertools, os
    with open(os.path.join(folder, file), newline="", encoding="utf-8-sig", errors="replace") as text:
        by = max(",;\t|", key=text.readline().count)
        text.seek(0)
        lines = csv.reader(text, delimiter=by)
        names = next(lines, [])
        rows = [row for row in itertools.islice(lines, most) if row]
    print(f"{file}: {len(rows)} rows" + ", and perhaps more" * (len(rows) == most))
    longer = sum(len(row) > len(names) for row in rows)
    if longer:
        print(f"  {longer} rows have more cells than there are columns")
    for at, name in enumerate(names):
        cells = [row[at].strip() if at < len(row) else "" for row in rows]
        full = [cell for cell in cells if cell.lower() not in ("", "-", "na", "n/a", "nan", "null", "none")]
        numbers, texts = [], []
        for cell in full:
            try:
                numbers.append(float(cell))
            except ValueError:
                texts.append(cell)
        told = [f"{len(cells) - len(full)} empty"]
        if numbers:
            told.append(f"{len(numbers)} numbers from {min(numbers):g} to {max(numbers):g}")
        if texts:
            some = [text[:60] for text in sorted(set(texts))[:5]]
            told.append(f"{len(texts)} texts, {len(set(texts))} different: {some}")
        # A name may hold what ends a line.
        shown = repr(name)[1:-1] if name.isprintable() and name else repr(name)
        print(f"  {shown}: " + "; ".join(told))


