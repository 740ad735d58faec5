"""Puts generated queries to `webmill query`, to DuckDB and to Python's `c.sql`: their rows must be equal.

usage: differential.py WEBMILL QUERIES SEED RESULTS…

DuckDB reads the tables through RESULTS/webmill.sql. A query that DuckDB does not answer is not counted. Other rows are a failure;
a query that `webmill query` refuses counts by its reason, and more than a tenth of such is a failure too. Floats are compared to
1e-9 of their size. Queries follow from the seed alone. Prints the counts and the reasons.
"""

import collections
import datetime
import decimal
import json
import math
import pathlib
import random
import subprocess
import sys

import duckdb

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
import webmill  # noqa: E402

# Types that the two write differently.
LEFT_OUT = ("BLOB", "STRUCT", "UHUGEINT", "HUGEINT", "MAP")


def plain(value):
    """A value of DuckDB as `webmill query --format json` writes it."""
    if isinstance(value, float):
        return None if math.isnan(value) or math.isinf(value) else value
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%dT%H:%M:%S")
        return f"{text}.{value.microsecond // 1000:03}Z" if value.microsecond else text + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def alike(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b or a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def in_order(rows):
    """Rows in an order that small differences of floats do not change."""
    def key(value):
        if isinstance(value, bool) or value is None:
            return (0, str(value))
        if isinstance(value, (int, float)):
            return (1, f"{value:.6e}")
        return (2, json.dumps(value, ensure_ascii=False))
    return sorted(rows, key=lambda row: [key(value) for value in row])


class Questions:
    """Queries over the columns of tables, by their types."""

    def __init__(self, tables, random):
        self.tables, self.random = tables, random

    def one(self):
        kinds = [self.rows, self.first, self.groups, self.groups, self.all, self.windows, self.join, self.sub, self.times, self.shares, self.union]
        return self.random.choice(kinds)()

    def pick(self, *wanted):
        """A table and its columns by kind, where it has columns of the kinds that are wanted."""
        fit = [name for name, kinds in self.tables.items() if all(kinds.get(kind) for kind in wanted)]
        name = self.random.choice(fit)
        return name, self.tables[name]

    def number(self, of, depth=0):
        r = self.random
        choices = ["column", "column", "constant"]
        if depth < 2:
            choices += ["+", "-", "*", "%", "//", "/", "case", "coalesce", "abs", "length", "cast", "round"]
        kind = r.choice(choices)
        if kind == "column" or kind == "cast" and not of.get("float"):
            return r.choice(of["whole"] + (of.get("float", []) if depth == 0 else []))
        if kind == "constant":
            return str(r.choice([0, 1, 2, 3, 7, 10, 100, 1000]))
        if kind in ("+", "-", "*"):
            return f"({self.number(of, depth + 1)} {kind} {self.number(of, depth + 1)})"
        if kind in ("%", "//", "/"):
            return f"({r.choice(of['whole'])} {kind} {r.choice([2, 3, 7, 10])})"
        if kind == "case":
            return f"CASE WHEN {self.condition(of)} THEN {self.number(of, depth + 1)} ELSE {self.number(of, depth + 1)} END"
        if kind == "coalesce":
            return f"COALESCE({r.choice(of['whole'])}, {r.choice([0, -1])})"
        if kind == "abs":
            return f"ABS({self.number(of, depth + 1)})"
        if kind == "length" and of.get("text") and r.random() < 0.5:
            return f"STRPOS({r.choice(of['text'])}, '{r.choice(['.', '/', '?', 'a', '文'])}')"
        if kind == "length" and of.get("text"):
            return f"LENGTH({r.choice(of['text'])})"
        if kind == "cast":
            return f"CAST({r.choice(of['float'])} * 10 AS INTEGER)"
        if kind == "round" and of.get("float"):
            return f"ROUND({r.choice(of['float'])}, {r.choice([0, 1, 2])})"
        return r.choice(of["whole"])

    def text(self, of):
        r = self.random
        column = r.choice(of["text"])
        return r.choice([
            column, column, f"UPPER(LEFT({column}, 4))", f"{column} || '!'", f"SUBSTR({column}, {r.choice([2, 0, -4, 7])}, {r.choice([5, 1, 0])})", f"SUBSTR({column}, {r.choice([3, -3])})",
            f"COALESCE({column}, '-')", f"LEFT({column}, 6)", f"REPLACE({column}, 'a', '')", f"CAST({r.choice(of['whole'])} AS VARCHAR)",
        ])

    def condition(self, of, depth=0):
        r = self.random
        choices = ["whole", "whole", "null"]
        choices += ["text", "like", "in"] if of.get("text") else []
        choices += ["flag"] if of.get("flag") else []
        choices += ["float"] if of.get("float") else []
        choices += ["and", "or", "not"] if depth < 2 else []
        kind = r.choice(choices)
        if kind == "whole":
            return f"{r.choice(of['whole'])} {r.choice(['=', '<', '<=', '>', '>=', '<>'])} {r.choice([0, 1, 2, 10, 100, 200, 404, 5000])}"
        if kind == "float":
            return f"{r.choice(of['float'])} {r.choice(['<', '>'])} {r.choice([0, 0.001, 0.1, 0.5, 1.5])}"
        if kind == "null":
            return f"{r.choice(of['whole'] + of.get('text', []))} IS {r.choice(['', 'NOT '])}NULL"
        if kind == "flag":
            return r.choice(["{}", "NOT {}", "{} = TRUE", "{} IS NOT NULL", "{} IS NOT TRUE", "({} AND NULL) IS FALSE"]).format(r.choice(of["flag"]))
        if kind == "text":
            return f"{r.choice(of['text'])} {r.choice(['=', '<', '>', '<>'])} '{r.choice(['', 'a', 'eng', 'http', 'zh', 'text/html'])}'"
        if kind == "like":
            return f"{r.choice(of['text'])} {r.choice(['LIKE', 'NOT LIKE', 'ILIKE'])} '{r.choice(['%a%', 'http%', '%.html', '_e%', '%1'])}'"
        if kind == "in":
            return f"{r.choice(of['text'])} {r.choice(['', 'NOT '])}IN ('eng', 'zho', 'text/html', 'a')"
        if kind == "not":
            return f"NOT ({self.condition(of, depth + 1)})"
        return f"({self.condition(of, depth + 1)} {kind.upper()} {self.condition(of, depth + 1)})"

    def aggregate(self, of):
        r = self.random
        whole, any_column = r.choice(of["whole"]), r.choice(of["whole"] + of.get("text", []))
        choices = [
            "COUNT(*)", "COUNT(*)", f"COUNT({any_column})", f"COUNT(DISTINCT {any_column})", "SUM(1)", f"SUM({whole})", f"SUM({self.number(of, 1)})",
            f"AVG({whole})", f"MIN({whole})", f"MAX({any_column})", f"COUNT(*) * {r.choice([100, 1000000000])}", "COUNT(*) - 100",
            f"SUM(CASE WHEN {self.condition(of, 1)} THEN 1 ELSE 0 END)", f"COUNT(*) FILTER (WHERE {self.condition(of, 1)})",
            f"100.0 * COUNT(*) / {r.choice([3, 7])}", f"MEDIAN({whole})", f"SUM({whole}) / COUNT(*)", f"STDDEV({whole})",
        ]
        return r.choice(choices)

    def where(self, of):
        return f" WHERE {self.condition(of)}" if self.random.random() < 0.6 else ""

    def rows(self):
        name, of = self.pick("whole")
        r = self.random
        items = [self.number(of) if r.random() < 0.6 or not of.get("text") else self.text(of) for _ in range(r.randint(1, 3))]
        listed = ", ".join(f"{item} AS c{n}" for n, item in enumerate(items))
        return f"SELECT {r.choice(['', '', 'DISTINCT '])}{listed} FROM {name}{self.where(of)}"

    def first(self):
        """Rows in an order that is said, nulls where they come."""
        name, of = self.pick("whole", "key")
        r = self.random
        by, key = r.choice(of["whole"]), of["key"][0]
        order = f"{by}{r.choice(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}, {key}{r.choice(['', ' DESC'])}"
        return f"SELECT {key} AS k, {by} AS b FROM {name}{self.where(of)} ORDER BY {order} LIMIT {r.choice([3, 10])}{r.choice(['', ' OFFSET 2'])}"

    def key(self, of):
        r = self.random
        return r.choice(of.get("text", []) + of.get("flag", []) + [f"{r.choice(of['whole'])} % 5", r.choice(of["whole"])])

    def groups(self):
        name, of = self.pick("whole")
        r = self.random
        key = self.key(of)
        listed = ", ".join(f"{self.aggregate(of)} AS a{n}" for n in range(r.randint(1, 3)))
        having = r.choice(["", "", " HAVING COUNT(*) > 1", " HAVING COUNT(*) - 2 > 0", f" HAVING MAX({r.choice(of['whole'])}) > 10"])
        by = r.choice([key, "k", "1"])
        return f"SELECT {key} AS k, {listed} FROM {name}{self.where(of)} GROUP BY {by}{having}"

    def all(self):
        name, of = self.pick("whole")
        listed = ", ".join(f"{self.aggregate(of)} AS a{n}" for n in range(self.random.randint(1, 4)))
        return f"SELECT {listed} FROM {name}{self.where(of)}"

    def windows(self):
        name, of = self.pick("whole", "text", "key")
        r = self.random
        part, key, whole = r.choice(of["text"]), of["key"][0], r.choice(of["whole"])
        window = r.choice([
            f"COUNT(*) OVER (PARTITION BY {part})", f"SUM({whole}) OVER (PARTITION BY {part})", f"MAX({whole}) OVER ()",
            f"ROW_NUMBER() OVER (PARTITION BY {part} ORDER BY {key})", f"ROW_NUMBER() OVER (ORDER BY {key}) - 5",
            f"RANK() OVER (ORDER BY {whole})", f"DENSE_RANK() OVER (ORDER BY {whole})", f"100.0 * {whole} / SUM({whole}) OVER ()",
            f"{whole} - LAG({whole}) OVER (ORDER BY {key})", f"AVG({whole}) OVER (PARTITION BY {part})", f"SUM(1) OVER (PARTITION BY {part})",
            f"{r.choice(['SUM', 'AVG', 'COUNT', 'MIN', 'MAX'])}({whole}) OVER (PARTITION BY {part} ORDER BY {r.choice(of['whole'])}{r.choice(['', ' DESC', ' NULLS FIRST'])})",
            f"{r.choice(['SUM', 'AVG', 'COUNT', 'MAX', 'FIRST_VALUE', 'LAST_VALUE'])}({whole}) OVER (ORDER BY {whole} DESC, {key} ROWS BETWEEN {r.randint(0, 3)} PRECEDING AND {r.randint(0, 3)} FOLLOWING)",
            f"RANK() OVER (PARTITION BY {part} ORDER BY {whole} DESC, {r.choice(of['whole'])})",
            f"{r.choice(['PERCENT_RANK', 'CUME_DIST'])}() OVER (ORDER BY {whole})", f"NTILE({r.randint(1, 9)}) OVER (ORDER BY {key})",
            f"LEAD({whole}, 2, -1) OVER (PARTITION BY {part} ORDER BY {key} DESC)", "SUM(1) OVER (ORDER BY " + key + ")",
        ])
        if r.random() < 0.2:
            return f"SELECT {key} AS k FROM {name}{self.where(of)} QUALIFY {r.choice(['ROW_NUMBER', 'RANK'])}() OVER (PARTITION BY {part} ORDER BY {whole} DESC, {key}) <= 2"
        return f"SELECT {key} AS k, {window} AS w FROM {name}{self.where(of)}"

    def shares(self):
        name, of = self.pick("whole", "text")
        r = self.random
        key = r.choice(of["text"])
        window = r.choice([
            "100 * COUNT(*) / SUM(COUNT(*)) OVER ()", "SUM(COUNT(*)) OVER ()", "RANK() OVER (ORDER BY COUNT(*))",
            f"SUM({r.choice(of['whole'])}) / SUM(SUM({r.choice(of['whole'])})) OVER ()", "COUNT(*) - AVG(COUNT(*)) OVER ()",
        ])
        return f"SELECT {key} AS k, COUNT(*) AS n, {window} AS p FROM {name}{self.where(of)} GROUP BY {key}"

    def join(self):
        a, of = self.pick("whole", "key")
        b, other = self.pick("whole", "key")
        r = self.random
        kind = r.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        x, y = r.choice(of["whole"]), r.choice(other["whole"])
        on = f"a.{of['key'][0]} = b.{other['key'][0]}"
        if r.random() < 0.3:
            on += f" AND {r.choice(['a.' + x, 'b.' + y]) if kind == 'JOIN' else 'b.' + y} > {r.choice([1, 200])}" if kind in ("JOIN", "LEFT JOIN") else ""
        if r.random() < 0.5:
            return f"SELECT COUNT(*) AS n, SUM(a.{x}) AS s, COUNT(b.{y}) AS m FROM {a} a {kind} {b} b ON {on}"
        return f"SELECT a.{of['key'][0]} AS k, a.{x} AS x, b.{y} AS y FROM {a} a {kind} {b} b ON {on}"

    def sub(self):
        name, of = self.pick("whole")
        r = self.random
        whole = r.choice(of["whole"])
        return r.choice([
            f"SELECT COUNT(*) AS n FROM {name} WHERE {whole} > (SELECT AVG({whole}) FROM {name})",
            f"SELECT 100.0 * COUNT(*) / (SELECT COUNT(*) FROM {name}) AS p FROM {name}{self.where(of)}",
            f"SELECT MAX(n) AS m, COUNT(*) AS c FROM (SELECT {self.key(of)} AS k, COUNT(*) AS n FROM {name} GROUP BY 1) AS t",
            f"WITH t AS (SELECT {whole} AS w FROM {name}{self.where(of)}) SELECT COUNT(*) AS n, SUM(w) AS s, COUNT(DISTINCT w) AS d FROM t",
            f"WITH t AS (SELECT {self.key(of)} AS k, COUNT(*) AS n FROM {name} GROUP BY 1) SELECT n, COUNT(*) AS c FROM t GROUP BY n",
            f"SELECT COUNT(*) AS n FROM {name} WHERE {whole} {r.choice(['', 'NOT '])}IN (SELECT {r.choice(of['whole'])} FROM {name}{self.where(of)})",
            f"SELECT COUNT(*) AS n FROM {name} AS o WHERE {r.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {name} AS i WHERE i.{whole} = o.{r.choice(of['whole'])})",
            f"SELECT {whole} AS n FROM {name} {r.choice(['EXCEPT', 'INTERSECT'])} SELECT {r.choice(of['whole'])} AS n FROM {name}{self.where(of)}",
        ])

    def times(self):
        name, of = self.pick("time", "whole")
        r = self.random
        time = r.choice(of["time"])
        return r.choice([
            f"SELECT COUNT(*) AS n FROM {name} WHERE {time} >= TIMESTAMP '2020-01-01 00:00:00'",
            f"SELECT COUNT(*) AS n FROM {name} WHERE {time} < '2026-06-01T00:00:00Z'",
            f"SELECT COUNT(*) AS n FROM {name} WHERE {time} BETWEEN '2000-01-01' AND '2030-01-01'",
            f"SELECT DATE_TRUNC('{r.choice(['year', 'quarter', 'month', 'week', 'day', 'hour'])}', {time}) AS t, COUNT(*) AS n FROM {name} GROUP BY 1",
            f"SELECT YEAR({time}) AS y, MONTH({time}) * 100 AS m, COUNT(*) AS n FROM {name} GROUP BY 1, 2",
            f"SELECT EXTRACT({r.choice(['year', 'month', 'day', 'hour', 'minute'])} FROM {time}) * 1000 AS e, COUNT(*) AS n FROM {name} GROUP BY 1",
            f"SELECT CAST({time} AS DATE) AS d, COUNT(*) AS n FROM {name} GROUP BY 1",
            f"SELECT COUNT(*) AS n FROM {name} WHERE CAST({time} AS DATE) >= '2015-03-01'",
            f"SELECT COUNT(*) AS n FROM {name} WHERE {time} IN ('2014-01-26T20:06:24Z', '2026-01-01')",
            f"SELECT MIN({time}) AS a, MAX({time}) AS b FROM {name}{self.where(of)}",
            f"SELECT COUNT(*) AS n FROM {name} WHERE {time} > CAST('2020-01-01 12:00:00' AS TIMESTAMP)",
        ])

    def union(self):
        a, of = self.pick("whole")
        b, other = self.pick("whole")
        kind = self.random.choice(["UNION", "UNION ALL"])
        return f"SELECT {self.number(of, 1)} AS n FROM {a} {kind} SELECT {self.number(other, 1)} AS n FROM {b}"


def tables_of(connection):
    """Columns by kind of each view, and a key where one column has no two rows alike."""
    kinds = {"BIGINT": "whole", "INTEGER": "whole", "SMALLINT": "whole", "TINYINT": "whole", "UBIGINT": "whole", "UINTEGER": "whole",
             "USMALLINT": "whole", "UTINYINT": "whole", "DOUBLE": "float", "VARCHAR": "text", "BOOLEAN": "flag",
             "TIMESTAMP": "time", "TIMESTAMP WITH TIME ZONE": "time", "TIMESTAMP_MS": "time"}
    tables = {}
    for (name,) in connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall():
        columns = collections.defaultdict(list)
        rows = connection.sql(f'SELECT COUNT(*) FROM "{name}"').fetchall()[0][0]
        for column, kind, *_ in connection.sql(f'DESCRIBE "{name}"').fetchall():
            if kind in kinds and not any(kind.startswith(left) for left in LEFT_OUT):
                columns[kinds[kind]].append(f'"{column}"' if column in ("table", "offset") else column)
                if kind == "VARCHAR" and rows and connection.sql(f'SELECT COUNT(DISTINCT "{column}") FROM "{name}"').fetchall()[0][0] == rows:
                    columns["key"].append(column)
        if rows and rows < 200_000 and columns["whole"]:
            tables[name] = dict(columns)
    return tables


def main():
    program, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folders = [pathlib.Path(folder).resolve() for folder in sys.argv[4:]]
    counts, reasons, wrong = collections.Counter(), collections.Counter(), []
    for results in folders:
        connection = duckdb.connect()
        connection.execute("SET VARIABLE webmill_results = '" + str(results).replace("'", "''") + "'")
        connection.execute((results / "webmill.sql").read_text())
        package = webmill.open(results)
        questions = Questions(tables_of(connection), random.Random(seed))
        for query in [questions.one() for _ in range(number // len(folders))]:
            try:
                right = [[plain(value) for value in row] for row in connection.sql(query).fetchall()]
            except duckdb.Error:
                counts["not answered by DuckDB"] += 1
                continue
            counts["asked"] += 1
            try:
                in_python = [[plain(value) for value in row] for row in package.sql(query).rows()]
            except webmill.Error as error:
                counts["refused in Python"] += 1
                reasons[str(error)[:100]] += 1
                in_python = right
            if not alike(in_order(in_python), in_order(right)):
                wrong.append(f"{query}\n  Python and DuckDB: {len(in_python)} and {len(right)} rows")
            asked = [program, "query", results, query, "--format", "json"]
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
            if done.returncode:
                counts["refused"] += 1
                reasons[done.stderr.strip().replace("\n", " ")[:100]] += 1
                continue
            rows = [list(json.loads(line).values()) for line in done.stdout.splitlines()]
            ordered = "ORDER BY" in query and "OVER" not in query
            pair = (rows, right) if ordered else (in_order(rows), in_order(right))
            if alike(*pair):
                counts["equal"] += 1
                continue
            differing = [(a, b) for a, b in zip(*pair) if not alike(a, b)][:2]
            wrong.append(f"{query}\n  {len(rows)} and {len(right)} rows; webmill and DuckDB: {differing}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    for reason, count in reasons.most_common(20):
        print(f"  refused {count}: {reason}")
    if wrong or counts["refused"] * 10 > counts["asked"]:
        sys.exit("\n".join(wrong[:40]) or "more than a tenth was refused")


if __name__ == "__main__":
    main()
