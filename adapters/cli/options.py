"""The options of commands for settings, made of the descriptions of these."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from adapters.settings import SETTINGS, Group, default, load, option, variable

type Command = Callable[..., None]


def takes(*wanted: Group | str) -> Callable[[Command], Command]:
    """Give a command the options of settings, by group or name; it takes the `Settings` they make first.

    Raises:
        SettingError: When the command is run with a wrong one.
    """
    names = [name for name, setting in SETTINGS.items() if name in wanted or setting.group in wanted]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> None:
            flags = {name: given.pop(name) for name in names}
            command(load(flags), **given)

        _, *others = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [*others, *map(_parameter, names)]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def _parameter(name: str) -> inspect.Parameter:
    """Return what Typer makes the option of a setting from."""
    # Escaped, as what stands in brackets is markup otherwise. Typer's own would hide which of both is wrong.
    text = f"{SETTINGS[name].help} \\[env var: {variable(name)}] \\[default: {default(name)}]"
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[str | None, typer.Option(option(name), help=text, show_default=False)],
    )
