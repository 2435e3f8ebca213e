"""Where the kubelet keeps the logs of a container: `<namespace>_<pod>_<uid>/<container>/<restart>.log`."""

import re
from typing import NamedTuple

_POD = re.compile(r"(?:.*/)?([a-z0-9.-]+)_([a-z0-9.-]+)_([^/_]+)/([a-z0-9.-]+)/(\d+)\.log")


class PodLog(NamedTuple):
    """The log of one run of a container; each restart of the container begins the next `restart`."""

    namespace: str
    pod: str
    uid: str
    container: str
    restart: int


def pod_log(path: str) -> PodLog | None:
    """Return what a path says about a pod, or None if it is none of the kubelet's."""
    match = _POD.fullmatch(path)
    return PodLog(match[1], match[2], match[3], match[4], int(match[5])) if match else None
