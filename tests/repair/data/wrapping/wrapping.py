"""Plain text in lines of a width."""

import re

ELLIPSIS = "..."


def words(text):
    """Words of a text, white space gone."""
    return [word for word in re.split(r"\s+", text) if word]


def wrap(text, width, indent=""):
    """Lines of at most `width` characters, as full as can be; words that are longer are cut."""
    if width <= len(indent):
        raise ValueError("the width leaves no room")
    room = width - len(indent)
    lines, line = [], ""
    for word in words(text):
        while len(word) > room:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[:room])
            word = word[room:]
        if not word:
            continue
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= room:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return [indent + line for line in lines]


def shorten(text, width):
    """The text on one line, cut at a word with an ellipsis where it is too long."""
    text = " ".join(words(text))
    if len(text) <= width:
        return text
    kept = ""
    for word in text.split(" "):
        longer = f"{kept} {word}".strip()
        if len(longer) + len(ELLIPSIS) > width:
            break
        kept = longer
    return kept + ELLIPSIS


def justify(line, width):
    """Spread the words of a line over the width, more space to the left."""
    parts = words(line)
    if len(parts) < 2:
        return line.strip()
    spaces = width - sum(len(part) for part in parts)
    each, more = divmod(spaces, len(parts) - 1)
    out = parts[0]
    for number, part in enumerate(parts[1:]):
        out += " " * (each + (1 if number < more else 0)) + part
    return out


def dedent(text):
    """Without the white space that all lines that hold something begin with."""
    lines = text.split("\n")
    depths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    depth = min(depths, default=0)
    return "\n".join(line[depth:] if line.strip() else "" for line in lines)


def columns(rows, gap=2):
    """Rows of texts as aligned lines; short rows are filled up."""
    count = max((len(row) for row in rows), default=0)
    full = [list(row) + [""] * (count - len(row)) for row in rows]
    widths = [max(len(row[number]) for row in full) for number in range(count)]
    lines = []
    for row in full:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def slug(title):
    """A title as part of an address."""
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower())
    return plain.strip("-")


def is_heading(line):
    """Whether a line is a heading: one to six marks, a space, a text."""
    return re.search(r"^#{1,6} \S", line) is not None


def number_lines(lines, start=1):
    """Each line with its number before it, right-aligned."""
    wide = len(str(start + len(lines) - 1))
    return [f"{number:>{wide}} {line}" for number, line in enumerate(lines, start)]
