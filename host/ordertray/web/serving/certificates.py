"""TLS for a table that has no name in the world: a certificate authority of its own, and a certificate for its page.

A phone trusts the authority once, by its fingerprint; the page's certificate is made anew as names and time want it.
The authority may sign for this machine's names and for addresses of private networks only (name constraints, RFC 5280
section 4.2.1.10): a stolen key opens this table and nothing else. Needs `cryptography` (`ordertray[tls]`).
"""

from __future__ import annotations

import datetime
import ipaddress
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...files.extras import install_command
from ...files.writing import write_whole
from .addresses import WebError

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

log = logging.getLogger(__name__)

AUTHORITY_DAYS = 3650
#: What phones take at most is 398; a renewed one needs no new trust.
PAGE_DAYS = 300
RENEW_DAYS = 60
_PRIVATE = (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8",
    "100.64.0.0/10", "fc00::/7", "fe80::/10", "::1/128",
)  # fmt: skip


@dataclass(frozen=True)
class Certificates:
    """Files for TLS: the page's certificate and key, and the authority to trust, with its fingerprint (SHA-256)."""

    page: Path
    key: Path
    authority: Path
    fingerprint: str


def certificates(folder: Path, names: Iterable[str], addresses: Iterable[str]) -> Certificates:
    """The certificates kept in `folder`, made or renewed as need be. Raises `WebError`."""
    try:
        return _certificates(folder, sorted({*names}), sorted({*addresses}))
    except ImportError:
        raise WebError(f"--tls needs one more package: {install_command('tls')}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        mend = "move tls-*.pem away, and new ones are made"
        raise WebError(f"{folder}: the certificates cannot be used ({why}); {mend}") from None


def _certificates(folder: Path, names: list[str], addresses: list[str]) -> Certificates:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    authority_path, page_path, key_path = (folder / f"tls-{what}.pem" for what in ("authority", "page", "key"))
    now = datetime.datetime.now(datetime.UTC)
    if authority_path.exists() and (folder / "tls-authority-key.pem").exists():
        authority = x509.load_pem_x509_certificate(authority_path.read_bytes())
        key = _key(folder / "tls-authority-key.pem")
    else:
        authority, key = _new_authority(folder, names, addresses, now)
        write_whole(authority_path, authority.public_bytes(serialization.Encoding.PEM).decode())
    constraints = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or ()
    networks = [one.value for one in constraints if isinstance(one, x509.IPAddress)]
    known = {one.value for one in constraints if isinstance(one, x509.DNSName)}
    # One name that it may not sign for would spoil the whole certificate.
    addresses = [one for one in addresses if any(ipaddress.ip_address(one) in network for network in networks)]  # type: ignore[operator]
    if others := [name for name in names if name not in known]:
        log.warning(
            "the certificate authority may not sign for %s; move tls-*.pem away for a new one", ", ".join(others)
        )
    names = [name for name in names if name in known]
    if not _fits(page_path, key_path, names, addresses, authority, now):
        page_key = _new_key(key_path)
        alternatives = [x509.DNSName(name) for name in names]
        every = [*alternatives, *(x509.IPAddress(ipaddress.ip_address(address)) for address in addresses)]
        page = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Order tray page")]))
            .issuer_name(authority.subject)
            .public_key(page_key.public_key())
            .serial_number(x509.random_serial_number())
            # A day back: a Pi without a clock may be behind those who look.
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=PAGE_DAYS))
            .add_extension(x509.SubjectAlternativeName(every), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        write_whole(page_path, page.public_bytes(serialization.Encoding.PEM).decode())
    digest = authority.fingerprint(hashes.SHA256()).hex().upper()
    return Certificates(page_path, key_path, authority_path, ":".join(digest[at : at + 2] for at in range(0, 64, 2)))


def _fits(
    page: Path, key: Path, names: list[str], addresses: list[str], authority: x509.Certificate, now: datetime.datetime
) -> bool:
    """Whether the page's certificate is this authority's, for all these names, and lasts a while."""
    from cryptography import x509

    if not (page.exists() and key.exists()):
        return False
    try:
        found = x509.load_pem_x509_certificate(page.read_bytes())
        found.verify_directly_issued_by(authority)
        known = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except Exception:  # whatever it is, a new one is made: nobody has trusted this one
        return False
    here = {str(address) for address in known.get_values_for_type(x509.IPAddress)}
    return (
        set(names) <= set(known.get_values_for_type(x509.DNSName))
        and set(addresses) <= here
        and found.not_valid_after_utc - now > datetime.timedelta(days=RENEW_DAYS)
        and found.not_valid_before_utc <= now
    )


def _new_authority(
    folder: Path, names: list[str], addresses: list[str], now: datetime.datetime
) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import NameOID

    key = _new_key(folder / "tls-authority-key.pem")
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Order tray {min(names, key=len)}"[:64])])
    may = [
        *map(x509.DNSName, names),
        *(x509.IPAddress(ipaddress.ip_network(network)) for network in (*_PRIVATE, *addresses)),
    ]
    usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
    authority = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.NameConstraints(permitted_subtrees=may, excluded_subtrees=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return authority, key


def _new_key(path: Path) -> EllipticCurvePrivateKey:
    """A new key, kept at `path` for its owner alone."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with open(part, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    part.replace(path)
    return key


def _key(path: Path) -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = serialization.load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("another kind of key")
    return key
