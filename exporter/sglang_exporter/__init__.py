"""Watch SGLang through the files it already writes, for Prometheus."""

__version__ = "0.1.0"
