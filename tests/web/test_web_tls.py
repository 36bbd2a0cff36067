"""https: by the table's own authority, and behind a reverse proxy; names, addresses that are believed."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from websockets.asyncio.client import connect

from ordertray.journal import Journal
from ordertray.service.places import SettingsError
from ordertray.service.settings import load_settings
from ordertray.service.table_service import TableService
from ordertray.web.serving.addresses import WebError
from ordertray.web.serving.certificates import _key, certificates
from ordertray.web.serving.guard import own_names
from ordertray.web.serving.server import Opened, WebOptions, serving
from patience import patience
from web.rights import README
from web.web_helpers import API, finish


def trusting(path: Path) -> ssl.SSLContext:
    """Trusts this authority and no other."""
    context = ssl.create_default_context(cafile=path)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


@contextlib.asynccontextmanager
async def serving_on(folder: Path, **options: object):  # type: ignore[no-untyped-def]
    """A page with these options."""
    with contextlib.closing(Journal.open(folder / "r.sqlite3")) as journal:
        service = TableService(journal, wall_ms=lambda: 0)
        async with serving(service, WebOptions(folder, port=0, **options)) as opened:  # type: ignore[arg-type]
            yield opened


def test_tls_by_the_tables_own_authority(tmp_path: Path) -> None:
    async def work() -> None:
        async with serving_on(tmp_path, tls=True) as opened:
            assert isinstance(opened, Opened) and opened.certificates is not None
            assert opened.base.startswith("https://")
            context = trusting(opened.certificates.authority)
            async with httpx.AsyncClient(base_url=opened.base, verify=context) as client:
                secret = opened.access.keys.secrets["A"]
                answer = await client.post(f"{API}/session", json={"secret": secret})
                assert "; secure" in answer.headers["set-cookie"].lower()
                authority = (await client.get("/authority.crt")).content
            assert authority == opened.certificates.authority.read_bytes()
            port = opened.base.rpartition(":")[2]
            for name in ("127.0.0.1", "localhost"):
                url = f"wss://{name}:{port}{API}/live"
                async with connect(url, ssl=context, origin=f"https://{name}:{port}") as live:  # type: ignore[arg-type]
                    assert json.loads(await live.recv())["type"] == "hello"
            with pytest.raises(httpx.ConnectError):
                async with httpx.AsyncClient() as stranger:
                    await stranger.get(opened.base)

    finish(work())


def test_certificates_are_kept_renewed_and_their_keys_private(tmp_path: Path) -> None:
    first = certificates(tmp_path, ["tray", "tray.local"], ["127.0.0.1"])
    again = certificates(tmp_path, ["tray"], ["127.0.0.1"])
    assert first == again
    page = first.page.read_bytes()
    other = certificates(
        tmp_path, ["tray", "tray.local"], ["127.0.0.1", "192.168.1.9"]
    )  # another address: a new page's
    assert other.fingerprint == first.fingerprint and other.page.read_bytes() != page
    for key in tmp_path.glob("*key.pem"):
        assert key.stat().st_mode & 0o777 == 0o600
    first.page.write_text("spoilt")
    assert certificates(tmp_path, ["tray"], ["127.0.0.1"]).fingerprint == first.fingerprint
    first.authority.write_text("spoilt")
    with pytest.raises(WebError, match="move tls-"):
        certificates(tmp_path, ["tray"], ["127.0.0.1"])


def test_the_authority_can_sign_for_nobody_else(tmp_path: Path) -> None:
    """A stolen key opens this table, and no bank."""
    made = certificates(tmp_path, ["tray.local"], ["127.0.0.1"])
    authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
    key, now = _key(tmp_path / "tls-authority-key.pem"), datetime.datetime.now(datetime.UTC)
    leaf_key = _key(made.key)
    for name, may in (("bank.example", False), ("tray.local", True)):
        leaf = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([])).issuer_name(authority.subject).public_key(leaf_key.public_key())
            .serial_number(7).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=9))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )  # fmt: skip
        (tmp_path / "leaf.pem").write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(tmp_path / "leaf.pem", made.key)
        assert _shakes_hands(server, trusting(made.authority), name) is may, name


def _shakes_hands(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> bool:
    """Whether a client takes a server for `name`, in memory."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.wrap_bio(to_server, to_client, server_side=True)
    theirs = client.wrap_bio(to_client, to_server, server_hostname=name)
    for _ in range(10):
        for end in (theirs, ours):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLError:
                return False
    return True


def nginx_recipe(port: int, upstream: str, folder: Path) -> str:
    """The README's server block, on other ports and with other certificates, in the least of configurations."""
    block = re.search(r"```nginx\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert block is not None
    text = block[1].replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("http://127.0.0.1:8765", upstream)
    text = text.replace("/etc/ssl/tray.pem", f"{folder}/tls-page.pem").replace(
        "/etc/ssl/tray.key", f"{folder}/tls-key.pem"
    )
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.getuid() == 0 else ""
    return f"{user}pid {folder}/nginx.pid;\nevents {{}}\nhttp {{\naccess_log off;\n{places}{text}}}\n"


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed (apt install nginx-light)")
def test_the_recipe_for_a_reverse_proxy(tmp_path: Path) -> None:
    name = "tray.club.example"
    made = certificates(tmp_path, [name], ["127.0.0.1"])

    async def work() -> None:
        async with serving_on(tmp_path, names=(name,), proxies=("127.0.0.1",)) as opened:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            (tmp_path / "nginx.conf").write_text(nginx_recipe(port, opened.base, tmp_path))
            command = [
                "nginx",
                "-e",
                "stderr",
                "-p",
                str(tmp_path),
                "-c",
                str(tmp_path / "nginx.conf"),
                "-g",
                "daemon off;",
            ]
            proxy = subprocess.Popen(command, stderr=subprocess.PIPE)
            try:
                context = trusting(made.authority)
                headers = {"host": f"{name}:{port}", "origin": f"https://{name}:{port}"}
                extensions = {"sni_hostname": name}
                end = time.monotonic() + 20
                async with httpx.AsyncClient(base_url=f"https://127.0.0.1:{port}", verify=context) as client:
                    while True:
                        try:
                            await client.get("/", headers=headers, extensions=extensions)
                            break
                        except httpx.ConnectError:
                            assert time.monotonic() < end and proxy.poll() is None
                    body = {"secret": opened.access.keys.secrets["A"]}
                    answer = await client.post(f"{API}/session", json=body, headers=headers, extensions=extensions)
                    assert answer.json()["opened"] == "A"
                    cookie = answer.headers["set-cookie"]
                    assert "; secure" in cookie.lower()
                    # Whose requests are counted is whoever asked the proxy, not the proxy.
                    forged = {**headers, "x-forwarded-for": "10.9.9.9", "host": "evil.example"}
                    refused = await client.get(f"{API}/state", headers=forged, extensions=extensions)
                    assert refused.status_code == 421
                url = f"wss://{name}:{port}{API}/live?view=A"
                async with connect(
                    url, ssl=context, host="127.0.0.1", port=port, origin=f"https://{name}:{port}",  # type: ignore[arg-type]
                    additional_headers={"cookie": cookie.partition(";")[0]},
                ) as live:  # fmt: skip
                    assert json.loads(await live.recv())["roles"] == ["A"]
            finally:
                proxy.terminate()
                proxy.communicate(timeout=patience(20))

    finish(work())


def test_who_asks_is_what_a_trusted_proxy_says_and_nobody_else(tmp_path: Path) -> None:
    async def work() -> None:
        for proxies, kept_out in ((("127.0.0.1",), False), ((), True)):
            folder = tmp_path / str(kept_out)
            folder.mkdir()
            async with serving_on(folder, proxies=proxies) as opened, httpx.AsyncClient(base_url=opened.base) as client:
                statuses = []
                for number in range(9):  # an attacker who can write any address in front of the one the proxy adds
                    headers = {"x-forwarded-for": f"10.0.0.{number}, 10.1.1.{number if kept_out else 1}"}
                    answer = await client.post(f"{API}/session", json={"pin": "x"}, headers=headers)
                    statuses.append(answer.status_code)
                assert statuses[-1] == 429 and statuses[0] == 403
                other = await client.post(f"{API}/session", json={"pin": "x"}, headers={"x-forwarded-for": "10.2.2.2"})
                assert (other.status_code == 429) is kept_out

    finish(work())


def test_names_of_this_machine_at_home_and_those_of_the_configuration(tmp_path: Path) -> None:
    name = socket.gethostname().lower().split(".")[0]
    assert {f"{name}.{home}" for home in ("local", "lan", "fritz.box", "home.arpa")} <= own_names()
    path = tmp_path / "ordertray.toml"
    path.write_text('names = ["tray.club.example"]\ntrusted_proxies = ["127.0.0.1", "::1"]\ntls = true\n')
    settings = load_settings(path)
    assert (settings.names, settings.trusted_proxies, settings.tls) == (
        ("tray.club.example",),
        ("127.0.0.1", "::1"),
        True,
    )
    path.write_text('names = ["a b", "http://x"]\ntrusted_proxies = ["proxy"]\ntls = "yes"\n')
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert len(caught.value.problems) == 4
