"""Reads tables in comma-separated text."""

QUOTE = '"'
DELIMITERS = (",", ";", "\t", "|")


class TableError(ValueError):
    """A table that can't be read; `line` is where."""

    def __init__(self, message, line):
        super().__init__(f"line {line}: {message}")
        self.line = line


def split_line(text, delimiter=",", line=1):
    """The fields of one record. Quotes may enclose a field, and stand twice inside one."""
    fields, field, quoted = [], "", False
    at = 0
    while at < len(text):
        char = text[at]
        if quoted:
            if char == QUOTE and text[at + 1 : at + 2] == QUOTE:
                field += QUOTE
                at += 1
            elif char == QUOTE:
                quoted = False
            else:
                field += char
        elif char == QUOTE and not field:
            quoted = True
        elif char == delimiter:
            fields.append(field)
            field = ""
        else:
            field += char
        at += 1
    if quoted:
        raise TableError("a quote is not closed", line)
    fields.append(field)
    return fields


def sniff(text):
    """The delimiter of a text: the one that its first line has most of; a comma where there is none."""
    first = text.split("\n", 1)[0]
    best = max(DELIMITERS, key=first.count)
    return best if first.count(best) > 0 else ","


def convert(value):
    """Numbers as numbers, empty as None, the rest as it is."""
    value = value.strip()
    if value == "":
        return None
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return value


def rows(text, delimiter=None, comment="#"):
    """Lists of fields; blank lines and comments are left out."""
    delimiter = delimiter or sniff(text)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(comment):
            continue
        yield number, split_line(line, delimiter, number)


def records(text, delimiter=None, required=()):
    """Dictionaries by the header's names, values converted."""
    lines = rows(text, delimiter)
    header = next(lines, None)
    if header is None:
        return []
    names = [name.strip().lower() for name in header[1]]
    missing = [name for name in required if name not in names]
    if missing:
        raise TableError(f"no column {', '.join(missing)}", header[0])
    found = []
    for number, fields in lines:
        if len(fields) > len(names):
            raise TableError(f"{len(fields)} fields for {len(names)} columns", number)
        values = [convert(field) for field in fields]
        values += [None] * (len(names) - len(fields))
        found.append(dict(zip(names, values, strict=True)))
    return found


def column(table, name, default=None):
    """One column of records; `default` for what is missing or empty."""
    found = []
    for record in table:
        value = record.get(name, default)
        found.append(default if value is None else value)
    return found


def summed(table, by, what):
    """Sums of one column by the values of another."""
    sums = {}
    for record in table:
        key = record[by]
        sums[key] = sums.get(key, 0) + (record.get(what) or 0)
    return sums


def dump(table):
    """Records as text: header, then lines; quotes only where needed."""
    if not table:
        return ""
    names = list(table[0])
    lines = [",".join(names)]
    for record in table:
        lines.append(",".join(quoted(record.get(name)) for name in names))
    return "\n".join(lines) + "\n"


def quoted(value):
    """A value as a field."""
    text = "" if value is None else str(value)
    if any(char in text for char in (",", QUOTE, "\n")):
        return QUOTE + text.replace(QUOTE, QUOTE * 2) + QUOTE
    return text
