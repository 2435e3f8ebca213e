"""When something was said."""

import msgspec


class Moment(msgspec.Struct, frozen=True):
    """`at` is when it is believed to have been said, in seconds since the epoch: on arrival, or as printed for history.

    `printed` are the seconds of the printed time, to take differences of; None where the log prints none.
    """

    at: float
    printed: float | None = None
