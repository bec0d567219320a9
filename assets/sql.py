"""Runs a block of SQL where there is no sqlite3 program: in memory, or in the file that `.open FILE` names.

Statements run one after the other and stop at the first error, as the program does with `-bail`.
"""

import sqlite3
import sys

ROWS = 10000


def show(cursor):
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchmany(ROWS + 1)
    cells = [["NULL" if v is None else "x'%s'" % v.hex() if type(v) is bytes else str(v) for v in r] for r in rows[:ROWS]]
    widths = [max([len(name)] + [len(row[at]) for row in cells]) for at, name in enumerate(names)]
    for row in [names, ["-" * width for width in widths]] + cells:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    if len(rows) > ROWS:
        print("... more than %d rows" % ROWS)


def command(words, connection):
    if words[0] == ".open" and len(words) == 2:
        connection.commit()
        return sqlite3.connect(words[1])
    if words[0] == ".tables":
        for (name,) in connection.execute("select name from sqlite_master where type in ('table', 'view') order by 1"):
            print(name)
        return connection
    if words[0] == ".schema":
        for (text,) in connection.execute("select sql from sqlite_master where sql is not null"):
            print(text + ";")
        return connection
    raise SystemExit("line with %s: only .open FILE, .tables and .schema are known here" % words[0])


def main():
    text = open(90, encoding="utf-8").read().lstrip("\ufeff")
    connection, statement, began = sqlite3.connect(":memory:"), "", 1
    lines = text.splitlines(True)
    for number, line in enumerate(lines, 1):
        if not statement.strip() and line.startswith("."):
            connection = command(line.split(), connection)
            continue
        began = number if not statement.strip() else began
        # A line may hold several statements.
        parts = line.split(";")
        for at, part in enumerate(parts):
            statement += part + (";" if at < len(parts) - 1 else "")
            if at < len(parts) - 1 and sqlite3.complete_statement(statement):
                run(connection, statement, began)
                statement = ""
    if statement.strip():
        run(connection, statement, began)
    connection.commit()


def run(connection, statement, line):
    try:
        cursor = connection.execute(statement)
        if cursor.description:
            show(cursor)
    except sqlite3.Error as error:
        connection.rollback()
        raise SystemExit("Error near line %d: %s" % (line, error))


main()
