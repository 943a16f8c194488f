"""CBOR written by hand, and COSE_Sign1 with OpenSSL's ES256 (through the package `cryptography`). Shares nothing with core/."""
import struct
from hashlib import sha256

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def head(major, n):
    for limit, info, form in ((24, None, None), (2**8, 24, ">B"), (2**16, 25, ">H"), (2**32, 26, ">I"), (2**64, 27, ">Q")):
        if n < limit:
            return bytes([major << 5 | n]) if info is None else bytes([major << 5 | info]) + struct.pack(form, n)


def integer(n):
    return head(0, n) if n >= 0 else head(1, -1 - n)


def bstr(b):
    return head(2, len(b)) + b


def tstr(s):
    b = s.encode()
    return head(3, len(b)) + b


def array(*items):
    return head(4, len(items)) + b"".join(items)


def pairs(*entries):
    return head(5, len(entries)) + b"".join(k + v for k, v in entries)


def header(kid, alg=-7):
    return pairs((integer(1), integer(alg)), (integer(4), bstr(kid)))


def sign(key, protected, body, external=b""):
    """The Sig_structure, and r | s over it."""
    to_be_signed = array(tstr("Signature1"), bstr(protected), bstr(external), bstr(body))
    r, s = decode_dss_signature(key.sign(to_be_signed, ec.ECDSA(hashes.SHA256())))
    return to_be_signed, r.to_bytes(32, "big") + s.to_bytes(32, "big")


def sign1(key, protected, body, unprotected=pairs()):
    return array(bstr(protected), unprotected, bstr(body), bstr(sign(key, protected, body)[1]))


def private_key(seed):
    """A P-256 key made from text."""
    return ec.derive_private_key(int.from_bytes(sha256(seed).digest(), "big") >> 1, ec.SECP256R1())


def key_members(key):
    """x, y, d as hexadecimal."""
    numbers = key.public_key().public_numbers()
    members = {"x": numbers.x, "y": numbers.y, "d": key.private_numbers().private_value}
    return {name: value.to_bytes(32, "big").hex() for name, value in members.items()}
