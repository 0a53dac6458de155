"""Files at https:// URLs: certificates that a call or the environment names, and those that are not trusted."""

import http.server
import os
import ssl
import subprocess
import sys
import threading

import pytest

import sluice
from sluice import _core

pytestmark = pytest.mark.skipif(not _core.can_read_urls(), reason="this build has no libcurl")

# For 127.0.0.1, signed by itself, and its key. For this test only.
CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUDxk3nWAvCqoIuFI0dtQwfaKo0X4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTIwMjA2NTA1NFoYDzIxMjYxMTA4
MDY1MDU0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARrysiDN3vSanG1FfALc2+tMCcOkYdhj5qYmcq69at6tvme2pVJaIcO
iYi+2O7C+BiXFT8BEZQ2moWOSMvBgBvNo28wbTAdBgNVHQ4EFgQUIITlJ4bEO+W6
S/3jD5pGsnlWWw4wHwYDVR0jBBgwFoAUIITlJ4bEO+W6S/3jD5pGsnlWWw4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgHl9MG1Cuv/lH7IXe8CKoJxaJ8tlHg/T03qWxfpNwLn4CIQCn
Viuh3VbqOFz7NcoZpmSO/7mH8Rise4MgpqRaeOtq+Q==
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUoBUKLDIuTJDNpVP
2HSl2aIlVv+4wwAzNsVbXP4mDhShRANCAARrysiDN3vSanG1FfALc2+tMCcOkYdh
j5qYmcq69at6tvme2pVJaIcOiYi+2O7C+BiXFT8BEZQ2moWOSMvBgBvN
-----END PRIVATE KEY-----
"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that does not trust the certificate ends the connection."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    path = tmp_path_factory.mktemp("https") / "localhost.pem"
    path.write_text(CERTIFICATE)
    return path


@pytest.fixture(scope="module")
def url(certificate):
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{server.server_port}/a"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


def read(url, **options):
    def described():
        return sluice.urls([url], http=sluice.HttpOptions(retries=0, **options))

    ((files, _),) = sluice.pipeline(described, batch_size=1, threads=1)()
    return list(files)


def test_a_call_names_certificates(url, certificate):
    assert read(url, ca_file=certificate) == [b"hello"]


def test_the_environment_names_certificates(url, certificate):
    program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_https; print(test_https.read({url!r}))"
    environment = {**os.environ, "SSL_CERT_FILE": str(certificate)}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert (ran.stdout, ran.stderr) == ("[b'hello']\n", "")


def test_an_unknown_certificate_is_not_trusted(url):
    with pytest.raises(sluice.BatchError, match="the server's identity cannot be verified: .*; install the package ca-certificates"):
        read(url)


def test_a_missing_file_of_certificates_is_named(url):
    with pytest.raises(sluice.BatchError, match="/nowhere.pem"):
        read(url, ca_file="/nowhere.pem")
