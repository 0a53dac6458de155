"""Options of requests to servers."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Sequence

from . import _core


@dataclasses.dataclass(frozen=True)
class HttpOptions:
    """Options of requests, for ``http=`` of :func:`sluice.urls` and :func:`sluice.tar`.

    A request is retried if it cannot connect, its connection breaks, the server sends nothing for too long, a checksum
    differs, or the status is 408, 429, 500, 502, 503 or 504.

    Parameters
    ----------
    connections : int, default 32
        The number of requests under way at once.
    retries : int, default 4
        The number of attempts after the first one.
    backoff_s : float, default 0.25
        The wait before the first retry, in seconds. It doubles with each retry.
    max_backoff_s : float, default 30
        The upper limit of a wait, unless the server asks for more.
    connect_s : float, default 10
        The time limit for connecting.
    stalled_s : float, default 30
        An attempt that receives nothing for this long is stopped.
    deadline_s : float, default 600
        The time limit for a request: all attempts and the waits between them.
    max_bytes : int, default 2**30
        The most bytes of one answer.
    redirects : int, default 5
        The most redirects to follow: to http and https, never from https to http.
    headers : sequence of str, default ()
        Such as 'Authorization: Bearer ...'. They are sent only to the server that the URL names.
    ca_file : path, default ''
        A file of certificates (PEM) to trust in place of the system's.
    """

    connections: int = 32
    retries: int = 4
    backoff_s: float = 0.25
    max_backoff_s: float = 30.0
    connect_s: float = 10.0
    stalled_s: float = 30.0
    deadline_s: float = 600.0
    max_bytes: int = 1 << 30
    redirects: int = 5
    headers: Sequence[str] = dataclasses.field(default=(), repr=False)  # may hold secrets
    ca_file: str | os.PathLike = ""


def http_options(http: Any, user: str) -> dict[str, Any]:
    """Returns the options as the core takes them."""
    if http is None:
        return {}
    if not isinstance(http, HttpOptions):
        raise _core.BuildError(f"{user}: http must be sluice.HttpOptions(...) (got {type(http).__name__})")
    given = {field.name: getattr(http, field.name) for field in dataclasses.fields(http)}
    if not isinstance(http.headers, (list, tuple)) or not all(isinstance(one, str) for one in http.headers):
        raise _core.BuildError(f"{user}: http: headers must be a list of str, such as ['Authorization: Bearer x']")
    if not isinstance(http.ca_file, (str, os.PathLike)):
        raise _core.BuildError(f"{user}: http: ca_file must be a path (got {http.ca_file!r})")
    return {**given, "headers": list(http.headers), "ca_file": os.fspath(http.ca_file)}
