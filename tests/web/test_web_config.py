"""The file of `--web.config.file`: what is taken, by promtool too, and what is refused with file, line and key."""

import subprocess
from pathlib import Path

import pytest

from sglang_exporter.web.web_config import load_web_config
from sglang_exporter.yaml_file import ConfigError
from support.certificates import Authority
from support.prometheus import binary

HASH = "$2y$10$mDwo.lAisC94iLAyP81MCesa29IzH37oigHC/42V2pdJlUprsJPze"
TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
VERIFY = "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: our-ca.pem\n"

GOOD = {
    "empty": "",
    "tls": TLS,
    "absolute paths": "tls_server_config: {cert_file: @/server.pem, key_file: @/server.key}\n",
    "client certificates": TLS + VERIFY,
    "client certificates if given": TLS + VERIFY.replace("RequireAndVerifyClientCert", "VerifyClientCertIfGiven"),
    "no client certificates": TLS + "  client_auth_type: NoClientCert\n",
    "versions": TLS + "  min_version: TLS12\n  max_version: TLS12\n",
    "only the newest": TLS + "  min_version: TLS13\n",
    "ciphers": TLS + "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_AES_128_GCM_SHA256]\n",
    "only new ciphers": TLS + "  cipher_suites: [TLS_AES_128_GCM_SHA256]\n",
    "ciphers of the client's choice": TLS + "  prefer_server_cipher_suites: false\n",
    "password": f"basic_auth_users:\n  alice: {HASH}\n  bob: {HASH.replace('2y', '2b')}\n",
    "all headers": "http_server_config:\n  http2: false\n  headers:\n    X-Frame-Options: deny\n"
    "    X-Content-Type-Options: nosniff\n    X-XSS-Protection: '1'\n    Strict-Transport-Security: max-age=1\n"
    "    Content-Security-Policy: default-src 'none'\n",
    "everything": f"{TLS}{VERIFY}basic_auth_users: {{alice: {HASH}}}\n"
    "http_server_config: {headers: {X-Frame-Options: sameorigin}}\n",
}

BAD = {
    "- a\n": ":1: the file: ",
    "tls_config: {}\n": ":1: tls_config: Object contains unknown field",
    "tls_server_config:\n": ":1: tls_server_config: Expected `object`, got `null`",
    "tls_server_config: {}\n": ":1: tls_server_config.cert_file: is needed",
    "tls_server_config:\n  cert_file: server.pem\n": ":1: tls_server_config.key_file: is needed",
    "tls_server_config:\n  key_file: server.key\n": ":1: tls_server_config.cert_file: is needed",
    "tls_server_config:\n  cert_file: gone.pem\n  key_file: server.key\n": ":2: tls_server_config.cert_file: @/gone.pem: No such file",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: gone.key\n": ":3: tls_server_config.key_file: @/gone.key: No such file",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: other.key\n": ":2: tls_server_config.cert_file: certificate and key cannot be used: key values mismatch",
    "tls_server_config:\n  cert_file: noise\n  key_file: server.key\n": ":2: tls_server_config.cert_file: certificate and key cannot be used: ",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: noise\n": ":2: tls_server_config.cert_file: certificate and key cannot be used: ",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: locked.key\n": ":2: tls_server_config.cert_file: certificate and key cannot be used: ",
    "tls_server_config:\n  cert_file: .\n  key_file: server.key\n": ":2: tls_server_config.cert_file: @: Is a directory",
    "tls_server_config:\n  cert: x\n": ":2: tls_server_config.cert: is not done here: give cert_file",
    TLS + "  key: secret\n": ":4: tls_server_config.key: is not done here: give key_file",
    TLS + "  client_ca: x\n": ":4: tls_server_config.client_ca: is not done here",
    TLS + "  client_allowed_sans: [a]\n": ":4: tls_server_config.client_allowed_sans: is not done here",
    TLS + "  curve_preferences: [CurveP256]\n": ":4: tls_server_config.curve_preferences: is not done here",
    TLS + "  curve_preferences:\n": ":4: tls_server_config.curve_preferences: is not done here",
    TLS + "  min_version: TLS10\n": ":4: tls_server_config.min_version: is not done here: TLS 1.2",
    TLS + "  max_version: TLS11\n": ":4: tls_server_config.max_version: is not done here: TLS 1.2",
    TLS + "  min_version: SSL30\n": ":4: tls_server_config.min_version: Invalid",
    TLS + "  min_version: TLS13\n  max_version: TLS12\n": ":4: tls_server_config.min_version: is newer than",
    TLS + "  client_auth_type: RequireAnyClientCert\n": ":4: tls_server_config.client_auth_type: is not done here",
    TLS + "  client_auth_type: RequestClientCert\n": ":4: tls_server_config.client_auth_type: is not done here",
    TLS + "  client_auth_type: Sometimes\n": ":4: tls_server_config.client_auth_type: Invalid",
    TLS
    + "  client_auth_type: RequireAndVerifyClientCert\n": ":4: tls_server_config.client_auth_type: client_ca_file is",
    TLS + "  client_ca_file: our-ca.pem\n": ":4: tls_server_config.client_ca_file: without a client_auth_type",
    TLS + VERIFY.replace("our-ca", "gone"): ":5: tls_server_config.client_ca_file: @/gone.pem: No such file",
    TLS + VERIFY.replace("our-ca.pem", "noise"): ":5: tls_server_config.client_ca_file: @/noise: no certificate",
    TLS + "  cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]\n": ":4: tls_server_config.cipher_suites[0]: want one of",
    TLS + "  cipher_suites: AES\n": ":4: tls_server_config.cipher_suites: Expected",
    TLS
    + "  max_version: TLS12\n  cipher_suites: [TLS_AES_128_GCM_SHA256]\n": ":5: tls_server_config.cipher_suites: none of",
    TLS + "  cert_files: x\n": ":4: tls_server_config.cert_files: Object contains unknown field",
    TLS + "  cert_file: x\n": ":4: cert_file: the key is there twice",
    "http_server_config:\n  http2: true\n": ":2: http_server_config.http2: HTTP/2 is not done here",
    "http_server_config:\n  headers:\n    Server: x\n": ":3: http_server_config.headers.Server: this header cannot be",
    "http_server_config:\n  headers:\n    X-Frame-Options: maybe\n": ":3: http_server_config.headers.X-Frame-Options: want",
    "http_server_config:\n  headers:\n    X-Content-Type-Options: sniff\n": (
        ":3: http_server_config.headers.X-Content-Type-Options: want nosniff"
    ),
    'http_server_config:\n  headers:\n    X-XSS-Protection: "1\\r\\nSet-Cookie: a"\n': (
        ":3: http_server_config.headers.X-XSS-Protection: want one line"
    ),
    "basic_auth_users:\n": ":1: basic_auth_users: Expected `object`, got `null`",
    "basic_auth_users: {}\n": ":1: basic_auth_users: there is nobody",
    "basic_auth_users: [alice]\n": ":1: basic_auth_users: Expected",
    "basic_auth_users:\n  alice: hunter2\n": ":2: basic_auth_users.alice: this is no bcrypt hash",
    f"basic_auth_users:\n  alice: {HASH}\n  bob: {HASH[:-1]}\n": ":3: basic_auth_users.bob: this is no bcrypt hash",
    f"basic_auth_users:\n  alice: {HASH.replace('$10$', '$32$')}\n": ":2: basic_auth_users.alice: this is no bcrypt",
    f"basic_auth_users:\n  'a:b': {HASH}\n": ":1: basic_auth_users: a name must not",
    "basic_auth_users:\n  alice: 5\n": "Expected `str`, got `int`",
    "rate_limit: {burst: 20}\n": ":1: rate_limit: is not done here",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the tables name."""
    folder = tmp_path_factory.mktemp("web")
    authority = Authority(folder)
    authority.issue("server")
    authority.issue("other")
    (folder / "noise").write_text("-----BEGIN NOISE-----\n")
    command = ["openssl", "pkey", "-in", "server.key", "-aes256", "-passout", "pass:hunter2", "-out", "locked.key"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


def written(folder: Path, text: str) -> Path:
    path = folder / "web.yml"
    path.write_text(text.replace("@", str(folder)))
    return path


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_good_files_are_taken(text: str, folder: Path) -> None:
    config = load_web_config(written(folder, text))
    assert (config.tls(folder) is not None) == ("tls_server_config" in text)


@pytest.mark.prometheus
def test_good_files_are_good_for_promtool(folder: Path) -> None:
    paths = []
    for number, text in enumerate(GOOD.values()):
        paths.append(folder / f"good-{number}.yml")
        paths[-1].write_text(text.replace("@", str(folder)))
    done = subprocess.run(
        [binary("promtool"), "check", "web-config", *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("SUCCESS") == len(GOOD)


@pytest.mark.parametrize(("text", "said"), BAD.items())
def test_bad_files_are_refused_with_line_and_key(text: str, said: str, folder: Path) -> None:
    path = written(folder, text)
    with pytest.raises(ConfigError) as refused:
        load_web_config(path)
    assert str(refused.value).startswith(str(path))
    assert said.replace("@", str(folder)) in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yml: No such file"):
        load_web_config(tmp_path / "none.yml")


def test_the_example_is_good_and_is_what_the_readme_names(folder: Path) -> None:
    root = Path(__file__).parents[2]
    text = (root / "deploy" / "web.yml").read_text()
    for name in ("server", "clients"):
        (folder / f"{name}.crt").write_bytes((folder / "server.pem").read_bytes())
    open_too = text.replace("  # client_", "  client_")
    with_users = open_too.replace("# basic_auth", "basic_auth").replace(
        "#   prometheus: $2y$10$...", f"  prometheus: {HASH}"
    )
    for form in (text, open_too, with_users):
        path = written(folder, form)
        load_web_config(path)
        subprocess.run([binary("promtool"), "check", "web-config", path], capture_output=True, check=True)
    assert "basic_auth_users" in with_users
    assert load_web_config(path).basic_auth_users == {"prometheus": HASH}
    page = (root / "docs/web.md").read_text()
    for key in ("`cert`", "`client_ca`", "client_allowed_sans", "curve_preferences", "rate_limit", "http2"):
        assert key in page
