"""Files at https:// URLs: certificates that a call or the environment names, and those that are not trusted."""

import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import threading

import pytest

import sluice
from sluice import _core

pytestmark = pytest.mark.skipif(not _core.can_read_urls(), reason="this build has no libcurl")

CERTIFICATE = pathlib.Path(__file__).with_name("localhost.pem")


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
def url():
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
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


def test_a_call_names_certificates(url):
    assert read(url, ca_file=CERTIFICATE) == [b"hello"]


def test_the_environment_names_certificates(url):
    program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_https; print(test_https.read({url!r}))"
    environment = {**os.environ, "SSL_CERT_FILE": str(CERTIFICATE)}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert (ran.stdout, ran.stderr) == ("[b'hello']\n", "")


def test_an_unknown_certificate_is_not_trusted(url):
    with pytest.raises(sluice.BatchError, match="the server's identity cannot be verified: .*; install the package ca-certificates"):
        read(url)


def test_a_missing_file_of_certificates_is_named(url):
    with pytest.raises(sluice.BatchError, match="/nowhere.pem"):
        read(url, ca_file="/nowhere.pem")
