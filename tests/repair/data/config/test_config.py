import pytest
from config import (
    ConfigError,
    MissingSetting,
    changes,
    checked,
    expanded,
    flag,
    flat,
    from_environment,
    get,
    layered,
    merge,
    put,
)


def test_merge():
    assert merge({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 9}, "e": 4}) == {"a": 1, "b": {"c": 9, "d": 3}, "e": 4}
    assert merge({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    assert merge({"a": 2}, {"a": {"b": 1}}) == {"a": {"b": 1}}
    assert merge({"a": 1}, {"a": 0}) == {"a": 0}


def test_none_removes():
    assert merge({"a": 1, "b": 2}, {"a": None}) == {"b": 2}
    assert merge({}, {"x": None}) == {}


def test_merge_changes_nothing():
    base, over = {"a": {"b": 1}}, {"a": {"c": 2}, "d": 3}
    merge(base, over)
    assert base == {"a": {"b": 1}}
    assert over == {"a": {"c": 2}, "d": 3}


def test_layered():
    assert layered({"a": 1}, {"a": 2, "b": 1}, {"b": 3}) == {"a": 2, "b": 3}
    assert layered() == {}


def test_get():
    settings = {"db": {"host": "h", "port": 0}}
    assert get(settings, "db.host") == "h"
    assert get(settings, "db.port", 5) == 0
    assert get(settings, "db.user", "me") == "me"
    assert get(settings, "db.port.more", 7) == 7
    assert get(settings, "db.user", None) is None


def test_get_missing():
    with pytest.raises(MissingSetting, match=r"db\.user"):
        get({"db": {}}, "db.user")
    with pytest.raises(KeyError):
        get({}, "db")


def test_put():
    settings = {"a": {"b": 1}}
    put(settings, "a.c", 2)
    put(settings, "x.y.z", 3)
    put(settings, "top", 4)
    assert settings == {"a": {"b": 1, "c": 2}, "x": {"y": {"z": 3}}, "top": 4}


def test_flag():
    assert flag(" Yes ") is True
    assert flag("on") is True
    assert flag("OFF") is False
    assert flag("0") is False
    with pytest.raises(ConfigError, match="'maybe'"):
        flag("maybe")


def test_environment():
    environ = {"APP_DB__HOST": "h", "APP_DEBUG": "1", "HOME": "/", "MYAPP_X": "y", "APP_DB__POOL_SIZE": "3"}
    assert from_environment(environ) == {"db": {"host": "h", "pool_size": "3"}, "debug": "1"}
    assert from_environment(environ, "MYAPP_") == {"x": "y"}


def test_expanded():
    settings = {"home": "/srv", "log": {"file": "${home}/log", "level": 3}, "all": ["${log.file}", "x"]}
    assert expanded(settings) == {
        "home": "/srv",
        "log": {"file": "/srv/log", "level": 3},
        "all": ["/srv/log", "x"],
    }


def test_expanded_defaults():
    assert expanded({"a": "${b:none}", "c": "${a}!"}) == {"a": "none", "c": "none!"}
    assert expanded({"a": "[${b:}]"}) == {"a": "[]"}
    assert expanded({"a": 3, "b": "${a} times"}) == {"a": 3, "b": "3 times"}
    with pytest.raises(MissingSetting):
        expanded({"a": "${b}"})


def test_expanded_refuses_circles():
    with pytest.raises(ConfigError, match="circle"):
        expanded({"a": "${b}", "b": "${a}"})


def test_flat():
    assert flat({"a": 1, "b": {"c": 2, "d": {"e": 3}}}) == {"a": 1, "b.c": 2, "b.d.e": 3}
    assert flat({}) == {}


def test_changes():
    old = {"a": 1, "b": {"c": 2, "z": 0}}
    new = {"a": 1, "b": {"c": 3}, "y": 4, "x": 5}
    assert changes(old, new) == (["x", "y"], ["b.z"], ["b.c"])


def test_checked():
    settings = {"port": 80, "name": "x", "rate": 1, "debug": True}
    assert checked(settings, {"port": int, "name": str, "rate": float, "debug": bool}) is settings
    with pytest.raises(ConfigError, match="port must be str, not int"):
        checked(settings, {"port": str})
    with pytest.raises(ConfigError, match="debug must be int, not bool"):
        checked(settings, {"debug": int})
    with pytest.raises(ConfigError, match="debug must be float, not bool"):
        checked(settings, {"debug": float})
