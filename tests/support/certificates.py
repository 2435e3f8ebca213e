"""An authority of the tests' own, and the files that it gives out."""

import ssl
from pathlib import Path
from typing import NamedTuple

import trustme


class Pair(NamedTuple):
    """A certificate and its key, in PEM."""

    certificate: Path
    key: Path


class Authority:
    """Writes certificates into `folder`, and its own as `NAME-ca.pem`."""

    def __init__(self, folder: Path, name: str = "our") -> None:
        self._folder = folder
        self._ca = trustme.CA()
        self.file = folder / f"{name}-ca.pem"
        self._ca.cert_pem.write_to_path(str(self.file))

    def issue(self, name: str, *identities: str) -> Pair:
        """Write `NAME.pem` and `NAME.key`, in place of those that are there."""
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        issued = self._ca.issue_cert(*(identities or ("localhost", "127.0.0.1", "::1")))
        pair.certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        pair.key.write_bytes(issued.private_key_pem.bytes())
        return pair

    def client(self, pair: Pair | None = None) -> ssl.SSLContext:
        """Return how a client trusts this authority only, and who it says it is."""
        context = ssl.create_default_context(cafile=self.file)
        if pair:
            context.load_cert_chain(*pair)
        return context
