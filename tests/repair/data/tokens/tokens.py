"""Reads and computes small expressions: numbers, names, + - * / **, brackets, comparisons and calls."""

import re

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(\*\*|<=|>=|==|[-+*/(),<>]))")
FUNCTIONS = {"min": min, "max": max, "abs": abs}


class ParseError(ValueError):
    """A text that is no expression; `at` is the place."""

    def __init__(self, message, at):
        super().__init__(f"{message} at {at}")
        self.at = at


def tokens(text):
    """(kind, text, place) of each token."""
    found = []
    text = text.rstrip()
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise ParseError(f"can't read {text[at:].strip()[0]!r}", at)
        kind = ("number", "name", "sign")[match.lastindex - 1]
        found.append((kind, match.group(match.lastindex), match.start(match.lastindex)))
        at = match.end()
    return found


class Parser:
    """Computes while it reads. Names come from `names`."""

    def __init__(self, text, names=None):
        self.text = text
        self.tokens = tokens(text)
        self.names = names or {}
        self.at = 0

    def peek(self):
        """The text of the next token, empty at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def place(self):
        """Where the next token stands."""
        return self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)

    def take(self):
        """The next token."""
        if self.at >= len(self.tokens):
            raise ParseError("more is expected", len(self.text))
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, sign):
        """Take exactly this token."""
        if self.peek() != sign:
            raise ParseError(f"{sign!r} is expected", self.place())
        self.take()

    def whole(self):
        """The value of the whole text."""
        value = self.comparison()
        if self.at < len(self.tokens):
            raise ParseError(f"{self.peek()!r} is too much", self.place())
        return value

    def comparison(self):
        """One sum, or two compared."""
        value = self.sum()
        sign = self.peek()
        if sign in ("<", "<=", ">", ">=", "=="):
            self.take()
            other = self.sum()
            return {
                "<": value < other,
                "<=": value <= other,
                ">": value > other,
                ">=": value >= other,
                "==": value == other,
            }[sign]
        return value

    def sum(self):
        """Products added and subtracted, from the left."""
        value = self.product()
        while self.peek() in ("+", "-"):
            if self.take()[1] == "+":
                value += self.product()
            else:
                value -= self.product()
        return value

    def product(self):
        """Factors multiplied and divided, from the left."""
        value = self.unary()
        while self.peek() in ("*", "/"):
            if self.take()[1] == "*":
                value *= self.unary()
            else:
                value /= self.unary()
        return value

    def unary(self):
        """A power with signs before it."""
        if self.peek() == "-":
            self.take()
            return -self.unary()
        return self.power()

    def power(self):
        """Powers bind from the right."""
        value = self.atom()
        if self.peek() == "**":
            self.take()
            return value ** self.unary()
        return value

    def atom(self):
        """A number, a name, a call or brackets."""
        place = self.place()
        kind, text, _ = self.take()
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind == "name":
            if self.peek() == "(":
                return self.call(text, place)
            if text not in self.names:
                raise ParseError(f"{text} is not known", place)
            return self.names[text]
        if text == "(":
            value = self.comparison()
            self.expect(")")
            return value
        raise ParseError(f"{text!r} is not expected", place)

    def call(self, name, place):
        """A function's value."""
        self.expect("(")
        arguments = []
        while self.peek() != ")":
            arguments.append(self.comparison())
            if self.peek() != ")":
                self.expect(",")
        self.expect(")")
        if name not in FUNCTIONS:
            raise ParseError(f"no function {name}", place)
        return FUNCTIONS[name](*arguments)


def compute(text, **names):
    """The value of an expression."""
    return Parser(text, names).whole()


def names_in(text):
    """Variables that an expression uses, once each, in order."""
    found = []
    line = tokens(text)
    for number, (kind, name, _) in enumerate(line):
        called = number + 1 < len(line) and line[number + 1][1] == "("
        if kind == "name" and not called and name not in found:
            found.append(name)
    return found
