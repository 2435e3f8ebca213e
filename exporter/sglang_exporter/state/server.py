"""One server, and the engines that share its log."""

import msgspec

from sglang_exporter.serverlog.events import Event
from sglang_exporter.state.engine import SAYS_NOTHING, Engine
from sglang_exporter.state.moment import Moment


class ServerState(msgspec.Struct):
    """A server's engines by ordinal; without a wrapper that tells engines apart there is one, of the empty name."""

    engines: dict[str, Engine] = {}
    slots: dict[str, str] = {}
    """The ordinal of each engine that a wrapper names, by its process and address (`123@10.0.0.1`)."""

    def fold(self, event: Event, moment: Moment) -> None:
        """Take what one line says; who has said nothing of SGLang's yet is no engine."""
        slot = self._slot(event, moment) if event.engine else ""
        engine = self.engines.get(slot)
        if engine is not None:
            engine.fold(event, moment)
        elif event.kind not in SAYS_NOTHING:
            self.engines[slot] = Engine()
            self.engines[slot].fold(event, moment)

    def _slot(self, event: Event, moment: Moment) -> str:
        """Return the engine's ordinal: a start on the address of a silent engine takes that one's."""
        process = event.engine or ""
        if process not in self.slots and event.kind not in SAYS_NOTHING:
            old = self._silent_on(process.partition("@")[2], moment) if event.kind == "server_args" else None
            self.slots[process] = self.slots.pop(old) if old else str(len(self.slots))
        return self.slots.get(process, process)

    def _silent_on(self, address: str, moment: Moment) -> str | None:
        """Return the process of a silent engine on an address."""
        on_address = (process for process in self.slots if process.partition("@")[2] == address)
        return next((process for process in on_address if self.engines[self.slots[process]].silent(moment.at)), None)
