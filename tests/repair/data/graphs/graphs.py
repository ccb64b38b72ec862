"""Searching graphs that are given as dictionaries: node → neighbours, or node → {neighbour: cost}."""

import heapq
from collections import deque


class CycleError(ValueError):
    """A graph that should have no cycle has one."""


def path(graph, start, goal):
    """A shortest path by number of steps, both ends included; None where there is none."""
    came = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node == goal:
            return walk_back(came, goal)
        for near in graph.get(node, ()):
            if near not in came:
                came[near] = node
                queue.append(near)
    return None


def walk_back(came, goal):
    """The path to `goal` by who came from where."""
    found = []
    while goal is not None:
        found.append(goal)
        goal = came[goal]
    return found[::-1]


def cheapest(graph, start, goal):
    """Cost and path of the cheapest way; (inf, []) where there is none."""
    best = {start: 0}
    came = {start: None}
    heap = [(0, start)]
    while heap:
        cost, node = heapq.heappop(heap)
        if node == goal:
            return cost, walk_back(came, goal)
        if cost > best[node]:
            continue
        for near, step in graph.get(node, {}).items():
            new = cost + step
            if near not in best or new < best[near]:
                best[near] = new
                came[near] = node
                heapq.heappush(heap, (new, near))
    return float("inf"), []


def components(graph):
    """Sets of nodes that hang together, edges taken both ways."""
    both = {node: set(near) for node, near in graph.items()}
    for node, near in graph.items():
        for other in near:
            both.setdefault(other, set()).add(node)
    found, seen = [], set()
    for node in both:
        if node in seen:
            continue
        group, stack = set(), [node]
        while stack:
            top = stack.pop()
            if top in group:
                continue
            group.add(top)
            stack.extend(both[top] - group)
        seen |= group
        found.append(group)
    return found


def ordered(needs):
    """Nodes such that each comes after what it needs, alphabetic where free. Raises CycleError."""
    left = {node: set(wanted) for node, wanted in needs.items()}
    for wanted in needs.values():
        for node in wanted:
            left.setdefault(node, set())
    done = []
    while left:
        free = sorted(node for node, wanted in left.items() if not wanted)
        if not free:
            raise CycleError(f"a cycle among {', '.join(sorted(left))}")
        node = free[0]
        del left[node]
        for wanted in left.values():
            wanted.discard(node)
        done.append(node)
    return done


def reachable(graph, start, within=None):
    """Nodes that can be reached from `start` in at most `within` steps."""
    found = {start}
    edge = [start]
    steps = 0
    while edge and (within is None or steps < within):
        edge = [near for node in edge for near in graph.get(node, ()) if near not in found]
        found.update(edge)
        steps += 1
    return found


def degrees(graph):
    """Node → how many edges lead to it."""
    counts = dict.fromkeys(graph, 0)
    for near in graph.values():
        for node in near:
            counts[node] = counts.get(node, 0) + 1
    return counts


def depth(tree, node):
    """Levels of the tree below `node`, itself included."""
    below = tree.get(node, ())
    if not below:
        return 1
    return 1 + max(depth(tree, child) for child in below)


def leaves(tree, node):
    """Nodes without children, from the left."""
    below = tree.get(node, ())
    if not below:
        yield node
        return
    for child in below:
        yield from leaves(tree, child)
