import pytest
from graphs import CycleError, cheapest, components, degrees, depth, leaves, ordered, path, reachable

ROADS = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": ["f"], "e": ["f"], "f": []}
COSTS = {"a": {"b": 1, "c": 5}, "b": {"c": 1, "d": 9}, "c": {"d": 2}, "d": {}}
TREE = {"root": ["l", "r"], "l": ["l1", "l2"], "l2": ["deep"]}


def test_path():
    assert path(ROADS, "a", "f") == ["a", "b", "d", "f"]
    assert path(ROADS, "a", "a") == ["a"]
    assert path(ROADS, "f", "a") is None


def test_path_in_circles():
    assert path({"a": ["b"], "b": ["a", "c"]}, "a", "c") == ["a", "b", "c"]
    assert path({"a": ["b"], "b": ["a"]}, "a", "z") is None


def test_path_of_unknown():
    assert path({}, "a", "b") is None


def test_cheapest():
    assert cheapest(COSTS, "a", "d") == (4, ["a", "b", "c", "d"])
    assert cheapest(COSTS, "a", "c") == (2, ["a", "b", "c"])
    assert cheapest(COSTS, "a", "a") == (0, ["a"])
    assert cheapest(COSTS, "d", "a") == (float("inf"), [])


def test_components():
    assert components({"a": ["b"], "c": [], "d": ["b"]}) == [{"a", "b", "d"}, {"c"}]
    assert components({}) == []


def test_ordered():
    assert ordered({"app": ["lib", "log"], "lib": ["core"], "log": ["core"]}) == ["core", "lib", "log", "app"]
    assert ordered({"b": [], "a": []}) == ["a", "b"]
    assert ordered({}) == []


def test_ordered_refuses_circles():
    with pytest.raises(CycleError, match="among a, b"):
        ordered({"a": ["b"], "b": ["a"], "c": []})


def test_ordered_leaves_its_argument_alone():
    needs = {"b": {"a"}, "a": set()}
    assert ordered(needs) == ["a", "b"]
    assert needs == {"b": {"a"}, "a": set()}


def test_reachable():
    assert reachable(ROADS, "d") == {"d", "f"}
    assert reachable(ROADS, "a") == set("abcdef")
    assert reachable(ROADS, "a", 1) == {"a", "b", "c"}
    assert reachable(ROADS, "a", 0) == {"a"}


def test_reachable_in_circles():
    assert reachable({"a": ["b"], "b": ["a"]}, "a") == {"a", "b"}


def test_degrees():
    assert degrees({"a": ["b", "c"], "b": ["c"]}) == {"a": 0, "b": 1, "c": 2}
    assert degrees({}) == {}


def test_depth():
    assert depth(TREE, "root") == 4
    assert depth(TREE, "l1") == 1
    assert depth(TREE, "l") == 3


def test_leaves():
    assert list(leaves(TREE, "root")) == ["l1", "deep", "r"]
    assert list(leaves(TREE, "r")) == ["r"]
