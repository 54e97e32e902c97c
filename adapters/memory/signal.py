"""Tell those who wait in the same process of what is new."""

from collections.abc import Callable


class Signal[*Told]:
    """Something that happens again and again, and who is notified of it, in order."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._listeners: list[Callable[[*Told], None]] = []

    def listen(self, listener: Callable[[*Told], None]) -> None:
        """Notify one more of all that happens from now on."""
        self._listeners.append(listener)

    def __call__(self, *told: *Told) -> None:
        """Notify all."""
        for listener in self._listeners:
            listener(*told)
