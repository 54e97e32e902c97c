"""Install the locked requirements and this project with pip, whatever pip's settings on this machine are.

Settings that say how to reach packages are kept. All others (constraints, target folders, user installs,
source-only ...) are meant for other installs and would make this one fail or go elsewhere.
"""

import ast
import os
import subprocess
import sys

_KEPT = frozenset(
    {
        "cache-dir",
        "cert",
        "client-cert",
        "default-timeout",
        "extra-index-url",
        "find-links",
        "index-url",
        "keyring-provider",
        "no-cache-dir",
        "no-index",
        "proxy",
        "retries",
        "timeout",
        "trusted-host",
    }
)


def pip(*arguments: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """Run pip; what it prints goes to the terminal if an environment is given, else into the result."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, env=env, capture_output=env is None, text=True, check=False)  # noqa: S603


def environment() -> dict[str, str]:
    """Return the environment for pip: no settings but those kept."""
    settings: dict[str, dict[str, str]] = {level: {} for level in ("global", "install", ":env:")}
    for line in pip("config", "list").stdout.splitlines():
        name, _, value = line.partition("=")
        level, _, key = name.partition(".")
        if level in settings and key in _KEPT:
            settings[level][key] = ast.literal_eval(value)
    cleaned = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    # Later ones go before earlier ones, as in pip.
    for level_settings in settings.values():
        for key, value in level_settings.items():
            cleaned[f"PIP_{key.upper().replace('-', '_')}"] = value
    return cleaned | {"PIP_CONFIG_FILE": os.devnull}


def main() -> int:
    """Run pip for the requirements, then for the project; return the exit code."""
    env = environment()
    requirements = pip("install", "-qq", "--require-hashes", "--requirement", "requirements.lock", env=env)
    if requirements.returncode != 0:
        return requirements.returncode
    return pip("install", "-qq", "--no-deps", "--no-build-isolation", "--editable", ".", env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
