"""Compares a QuixBugs program with its reference on random inputs: ``python -c THIS NAME CANDIDATE REFERENCE``.

CANDIDATE and REFERENCE are files. Prints one JSON line: how many inputs agreed, and the first that did not.
"""

import importlib.util
import json
import os
import random
import signal
import sys
from itertools import pairwise
from types import GeneratorType, SimpleNamespace

ROUNDS, SECONDS, EXACT = 300, 3, 1e-9


def ints(r, low=-9, high=20, most=9, least=0):
    """A few whole numbers."""
    return [r.randint(low, high) for _ in range(r.randint(least, most))]


def word(r, letters="abc", most=6):
    """A short text."""
    return "".join(r.choice(letters) for _ in range(r.randint(0, most)))


def nested(r, depth=0):
    """Lists in lists."""
    return [
        nested(r, depth + 1) if depth < 3 and r.random() < 0.35 else r.randint(0, 9) for _ in range(r.randint(0, 4))
    ]


def node(value):
    """A node without neighbours."""
    return SimpleNamespaceNode(value=value, successor=None, successors=[], incoming_nodes=[], outgoing_nodes=[])


class SimpleNamespaceNode(SimpleNamespace):
    """A node with an identity: compared and hashed as itself, ordered by its number."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def __lt__(self, other):
        return self.value < other.value


def digraph(r):
    """Nodes that lead to each other."""
    nodes = [node(number) for number in range(r.randint(1, 7))]
    for one in nodes:
        one.successors = r.sample(nodes, r.randint(0, min(3, len(nodes))))
    return nodes


def search(r):
    """A start and a goal."""
    nodes = digraph(r)
    return nodes[0], r.choice(nodes)


def chain(r, circle=False):
    """A linked list, perhaps in a circle."""
    nodes = [node(number) for number in range(r.randint(0, 6))]
    for one, other in pairwise(nodes):
        one.successor = other
    if circle and nodes and r.random() < 0.5:
        nodes[-1].successor = r.choice(nodes)
    return (nodes[0] if nodes else None,)


def dag(r):
    """Nodes in any order, without a circle."""
    nodes = [node(number) for number in range(r.randint(0, 7))]
    for number, one in enumerate(nodes):
        for other in nodes[number + 1 :]:
            if r.random() < 0.4:
                one.outgoing_nodes.append(other)
                other.incoming_nodes.append(one)
    r.shuffle(nodes)
    return (nodes,)


def lengths(r):
    """Edges with lengths, a start and a goal."""
    nodes = digraph(r)
    edges = {(one, other): r.randint(1, 9) for one in nodes for other in one.successors}
    return edges, nodes[0], r.choice(nodes)


def rpn(r):
    """A valid line in reverse Polish notation."""
    line, depth = [], 0
    for _ in range(r.randint(1, 9)):
        if depth > 1 and r.random() < 0.5:
            line.append(r.choice("+-*"))
            depth -= 1
        else:
            line.append(float(r.randint(1, 9)))
            depth += 1
    return (line + [r.choice("+-*") for _ in range(depth - 1)],)


def infix(r):
    """Numbers with operators between them."""
    line = [r.randint(0, 50)]
    for _ in range(r.randint(0, 6)):
        line += [r.choice("+-*/"), r.randint(0, 50)]
    return (line,)


def weights(r, low=1):
    """How many nodes, and edges with weights that all differ."""
    count = r.randint(2, 6)
    pairs = [(a, b) for a in range(count) for b in range(count) if (a < b if low < 0 else a != b)]
    chosen = r.sample(pairs, r.randint(1, len(pairs)))
    return count, dict(zip(chosen, r.sample(range(low, 40), len(chosen)), strict=True))


def palindrome(r):
    """Digits that read the same backwards."""
    half = [r.randint(0, 9) for _ in range(r.randint(0, 3))]
    digits = half + [r.randint(0, 9) for _ in range(r.randint(0, 1))] + half[::-1]
    return (digits if r.random() < 0.7 else [9] * len(digits),)


def permutation(r):
    """A permutation that is not the last one."""
    items = list(range(r.randint(1, 6)))
    r.shuffle(items)
    return (items if items != sorted(items, reverse=True) or len(items) == 1 else sorted(items),)


def heap(r):
    """A list in which nothing is further than k from its place."""
    k = r.randint(1, 4)
    items = sorted(ints(r, least=1))
    keyed = sorted((number + r.uniform(0, k), item) for number, item in enumerate(items))
    return [item for _, item in keyed], k + 1


INPUTS = {
    "bitcount": lambda r: (r.randint(0, 5000),),
    "breadth_first_search": search,
    "bucketsort": lambda r: (ints(r, 0, 9), 10),
    "depth_first_search": search,
    "detect_cycle": lambda r: chain(r, True),
    "find_first_in_sorted": lambda r: (sorted(ints(r, 0, 9)), r.randint(-1, 10)),
    "find_in_sorted": lambda r: (sorted(set(ints(r, 0, 20))), r.randint(-1, 21)),
    "flatten": lambda r: (nested(r),),
    "gcd": lambda r: (r.randint(0, 400), r.randint(0, 400)),
    "get_factors": lambda r: (r.randint(1, 900),),
    "hanoi": lambda r: (r.randint(0, 5), *r.sample((1, 2, 3), 2)),
    "is_valid_parenthesization": lambda r: (word(r, "()", 8),),
    "kheapsort": heap,
    "knapsack": lambda r: (r.randint(0, 30), [[r.randint(1, 12), r.randint(1, 30)] for _ in range(r.randint(0, 6))]),
    "kth": lambda r: (lambda a: (a, r.randrange(len(a))))(ints(r, least=1)),
    "lcs_length": lambda r: (word(r, "ab", 8), word(r, "ab", 8)),
    "levenshtein": lambda r: (word(r, "ab", 5), word(r, "ab", 5)),
    "lis": lambda r: (r.sample(range(30), r.randint(0, 9)),),
    "longest_common_subsequence": lambda r: (word(r, "abc", 6), word(r, "abc", 6)),
    "max_sublist_sum": lambda r: (ints(r),),
    "mergesort": lambda r: (ints(r),),
    "minimum_spanning_tree": lambda r: (weights(r)[1],),
    "next_palindrome": palindrome,
    "next_permutation": permutation,
    "pascal": lambda r: (r.randint(1, 9),),
    "possible_change": lambda r: (r.sample(range(1, 12), r.randint(0, 4)), r.randint(0, 25)),
    "powerset": lambda r: (r.sample(range(9), r.randint(0, 5)),),
    "quicksort": lambda r: (ints(r),),
    "reverse_linked_list": chain,
    "rpn_eval": rpn,
    "shortest_path_length": lengths,
    "shortest_path_lengths": lambda r: weights(r),
    "shortest_paths": lambda r: (0, {**weights(r)[1], (0, 1): r.randint(1, 9)}),
    "shunting_yard": infix,
    "sieve": lambda r: (r.randint(0, 120),),
    "sqrt": lambda r: (r.randint(1, 200), r.choice((0.1, 0.01, 0.001))),
    "subsequences": lambda r: (lambda a: (a, a + r.randint(0, 5), r.randint(0, 4)))(r.randint(0, 6)),
    "to_base": lambda r: (r.randint(1, 5000), r.randint(2, 36)),
    "topological_ordering": dag,
    "wrap": lambda r: (word(r, "ab ", 40), r.randint(2, 12)),
}
UNORDERED = ("powerset",)


def value(result):
    """A result in a form that compares: generators and chains as lists, nodes by number."""
    if isinstance(result, GeneratorType):
        return [value(item) for item in result]
    if isinstance(result, SimpleNamespaceNode):
        found = []
        while result is not None:
            found.append(result.value)
            result = result.successor if len(found) < 99 else None
        return found
    if isinstance(result, dict):
        return sorted((key, item) for key, item in result.items() if item != float("inf"))
    if isinstance(result, list):
        return [item.value if isinstance(item, SimpleNamespaceNode) else item for item in result]
    return result


def outcome(program, make, seed):
    """What a program makes of the inputs of a seed: a value, or the name of an exception."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        inputs = make(random.Random(seed))  # noqa: S311 -- inputs are to be the same each time
        return "value", value(program(*inputs))
    except Exception as error:  # noqa: BLE001 -- an exception is what the program does
        return "raises", type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def same(name, mine, theirs):
    """Whether two outcomes are one."""
    if mine[0] != theirs[0]:
        return False
    one, other = mine[1], theirs[1]
    if name in UNORDERED:
        return sorted(map(sorted, one)) == sorted(map(sorted, other))
    if name == "sqrt" and mine[0] == "value":
        return abs(one - other) <= EXACT
    # 1 == True, and what a test takes for a truth is one
    return one == other or (name.endswith("_search") and bool(one) == bool(other))


def load(name, path):
    """The program in a file."""
    spec = importlib.util.spec_from_file_location(f"{name}_{abs(hash(path))}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def main():
    """Compare."""

    def late(number, frame):
        raise TimeoutError

    signal.signal(signal.SIGPROF, late)
    name, candidate, reference = sys.argv[1:4]
    mine, theirs = load(name, candidate), load(name, reference)
    agreed, first = 0, None
    for seed in range(ROUNDS):
        wanted = outcome(theirs, INPUTS[name], seed)
        got = outcome(mine, INPUTS[name], seed)
        if wanted[0] == "value" and not same(name, got, wanted):
            first = f"seed {seed}: {str(got[1])[:60]} instead of {str(wanted[1])[:60]}"
            break  # each further input may hang, and one is enough
        agreed += 1
    print(json.dumps({"agreed": agreed, "of": ROUNDS, "first": first}))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
