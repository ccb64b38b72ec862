"""Everything in a repository's configuration, or in the environment, that git would execute, set to leave a mark."""

from __future__ import annotations

from pathlib import Path

from tests.repos import git

HOOKS = (
    "post-checkout", "pre-commit", "post-commit", "reference-transaction", "post-index-change", "pre-auto-gc",
    "commit-msg", "prepare-commit-msg", "post-rewrite", "fsmonitor-watchman",
)  # fmt: skip


def settings(touch: str) -> dict[str, str]:
    """Configuration key → value that runs `touch`."""
    return {
        "core.fsmonitor": touch, "core.pager": touch, "core.sshCommand": touch, "core.editor": touch,
        "core.askPass": touch, "core.alternateRefsCommand": touch, "filter.e.clean": f"sh -c '{touch}; cat'",
        "filter.e.smudge": f"sh -c '{touch}; cat'", "filter.e.process": touch, "diff.external": touch,
        "diff.t.textconv": touch, "diff.t.command": touch, "merge.t.driver": touch, "gpg.program": touch,
        "commit.gpgSign": "true", "credential.helper": f"!{touch}", "alias.ls-tree": f"!{touch}",
        "alias.commit-tree": f"!{touch}", "uploadpack.packObjectsHook": touch, "gc.recentObjectsHook": touch,
    }  # fmt: skip


def set_traps(repo: Path, marker: Path) -> None:
    """Hooks, filters, helpers, aliases and an include in the repository's own configuration."""
    touch = f"touch {marker}"
    for name in HOOKS:
        hook = repo / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{touch}\n")
        hook.chmod(0o755)
    for key, value in settings(touch).items():
        git(repo, "config", key, value)
    included = repo / ".git" / "more"
    included.write_text(f"[core]\n\tfsmonitor = {touch}\n")
    git(repo, "config", "includeIf.gitdir:**.path", str(included))
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "attributes").write_text("* filter=e diff=t merge=t\n")


def environment(marker: Path, elsewhere: Path) -> dict[str, str]:
    """Variables of agentloop's own environment that would lead git astray."""
    touch = f"touch {marker}"
    return {
        "GIT_DIR": str(elsewhere / ".git"), "GIT_WORK_TREE": str(elsewhere), "GIT_INDEX_FILE": str(elsewhere / "index"),
        "GIT_OBJECT_DIRECTORY": str(elsewhere / "objects"), "GIT_EXTERNAL_DIFF": touch, "GIT_PAGER": touch,
        "GIT_SSH_COMMAND": touch, "GIT_ASKPASS": touch, "GIT_EDITOR": touch, "GIT_TRACE": str(marker),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": touch,
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={touch}'", "GIT_CEILING_DIRECTORIES": "/",
        "GIT_EXEC_PATH": str(elsewhere), "GIT_TEMPLATE_DIR": str(elsewhere),
    }  # fmt: skip
