def _columns(file, most=200_000):
    import csv, itertools
    with open(file, newline="", encoding="utf-8-sig", errors="replace") as text:
        by = max(",;\t|", key=text.readline().count)
        text.seek(0)
        rows = list(itertools.islice(csv.DictReader(text, delimiter=by), most))
    print(f"{file}: {len(rows)} rows" + ", and perhaps more" * (len(rows) == most))
    for name in rows[0] if rows else ():
        cells = [str(row[name] or "").strip() for row in rows]
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
            told.append(f"{len(texts)} texts, {len(set(texts))} different: {sorted(set(texts))[:5]}")
        print(f"  {name}: " + "; ".join(told))


