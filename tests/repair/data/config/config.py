"""Settings from several places, merged."""

import re

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
REFERENCE = re.compile(r"\$\{([a-z_.]+)(?::([^}]*))?\}")


class ConfigError(Exception):
    """A setting that can't be used."""


class MissingSetting(ConfigError, KeyError):
    """A setting that is not there."""


def merge(base, over):
    """`over` on top of `base`, maps merged, everything else replaced. Neither argument is changed."""
    out = dict(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merge(out[key], value)
        elif value is None:
            out.pop(key, None)
        else:
            out[key] = value
    return out


def layered(*layers):
    """All layers merged, later ones on top."""
    out = {}
    for layer in layers:
        out = merge(out, layer)
    return out


def get(settings, path, default=...):
    """The setting at a dotted path; MissingSetting without a default."""
    at = settings
    for part in path.split("."):
        if not isinstance(at, dict) or part not in at:
            if default is ...:
                raise MissingSetting(path)
            return default
        at = at[part]
    return at


def put(settings, path, value):
    """Set a dotted path, making maps on the way."""
    *parents, last = path.split(".")
    at = settings
    for part in parents:
        at = at.setdefault(part, {})
    at[last] = value


def flag(text):
    """A yes or no in words."""
    word = text.strip().lower()
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise ConfigError(f"not a yes or no: {text!r}")


def from_environment(environ, prefix="APP_"):
    """Settings of variables: `APP_DB__HOST=x` is `db.host`."""
    out = {}
    for name, value in sorted(environ.items()):
        if not name.startswith(prefix):
            continue
        path = name[len(prefix) :].lower().replace("__", ".")
        put(out, path, value)
    return out


def expanded(settings, root=None, depth=0):
    """References `${path}` and `${path:default}` replaced in all texts."""
    root = settings if root is None else root
    if depth > 10:
        raise ConfigError("references go in a circle")
    if isinstance(settings, dict):
        return {key: expanded(value, root, depth) for key, value in settings.items()}
    if isinstance(settings, list):
        return [expanded(value, root, depth) for value in settings]
    if not isinstance(settings, str):
        return settings

    def replaced(match):
        fallback = ... if match.group(2) is None else match.group(2)
        return str(get(root, match.group(1), fallback))

    text = REFERENCE.sub(replaced, settings)
    return expanded(text, root, depth + 1) if REFERENCE.search(text) else text


def flat(settings, prefix=""):
    """Dotted path → value."""
    out = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            out.update(flat(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = value
    return out


def changes(old, new):
    """Paths that were added, removed and changed, each sorted."""
    before, after = flat(old), flat(new)
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    changed = sorted(path for path in before.keys() & after.keys() if before[path] != after[path])
    return added, removed, changed


def checked(settings, types):
    """The settings if each has its type, else ConfigError; whole numbers may stand for others."""
    for path, wanted in types.items():
        value = get(settings, path)
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            continue
        if wanted is int and isinstance(value, bool):
            raise ConfigError(f"{path} must be int, not bool")
        if not isinstance(value, wanted):
            raise ConfigError(f"{path} must be {wanted.__name__}, not {type(value).__name__}")
    return settings
