"""Makes core/vectors/statement.json: statements of a tag by an implementation that shares nothing with core/sec.

CBOR and COSE are those of cose_by_hand.py. Run from the project's root:
    python3 kit/vectors/statement_vectors.py > core/vectors/statement.json
Signatures are randomised: every run gives other, equally good statements.
"""
import json
import struct
from hashlib import sha256

from cose_by_hand import array, bstr, header, integer, key_members, pairs, private_key, sign, sign1, tstr
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

KEY = private_key(b"taglatch statement vectors")
CERTIFICATE = b"any bytes stand for the DER of a certificate here"
HASH = sha256(CERTIFICATE).digest()[:8]
NONCE = bytes(range(16))
DIGEST = sha256(b"\xa1\x00\x02").digest()
MARK = sha256(NONCE + DIGEST).digest()
NULL, TRUE, UNDEFINED = b"\xf6", b"\xf5", b"\xf7"
P = header(HASH)


def or_null(form, value):
    return NULL if value is None else form(value)


def claims(statement):
    """The six pairs, or five."""
    operation = {"write": 1, "clear": 2, None: None}.get(statement["operation"], statement["operation"])
    out = [
        (integer(1), tstr(statement["deviceId"])),
        (integer(2), or_null(lambda b: bstr(bytes.fromhex(b)), statement["cti"])),
        (integer(3), or_null(lambda b: bstr(bytes.fromhex(b)), statement["mark"])),
        (integer(4), or_null(integer, operation)),
        (integer(5), integer(statement["commits"])),
    ]
    if "challenge" in statement:
        out.append((integer(6), bstr(bytes.fromhex(statement["challenge"]))))
    return out


def body(statement):
    return pairs(*claims(statement))


NEVER = {"deviceId": "ebt-21-0001", "cti": None, "mark": None, "operation": None, "commits": 0}
RECEIPT = {"deviceId": "ebt-21-0001", "cti": "0001020304050607", "mark": MARK.hex(), "operation": "write", "commits": 24}
PRESENCE = {**RECEIPT, "operation": "clear", "commits": 2**32 - 1, "challenge": "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"}
TEXT = {**NEVER, "deviceId": "行" * 128, "challenge": "00" * 16}


def valid(name, statement):
    to_be_signed, signature = sign(KEY, P, body(statement))
    encoded = array(bstr(P), pairs(), bstr(body(statement)), bstr(signature))
    return {"name": name, "statement": statement, "toBeSigned": to_be_signed.hex(), "bytes": encoded.hex()}


def signed(payload, protected=P, unprotected=pairs()):
    return sign1(KEY, protected, payload, unprotected)


def changed(**changes):
    return signed(body({**PRESENCE, **changes}))


def with_pair(i, pair):
    entries = claims(PRESENCE)
    entries[i] = pair
    return signed(pairs(*entries))


BODY = body(PRESENCE)
GOOD = signed(BODY)
ALL = claims(PRESENCE)
KID = (integer(4), bstr(HASH))
REFUSED = {
    "nothing": b"",
    "tagged as COSE_Sign1": b"\xd2" + GOOD,
    "a byte after the end": GOOD + b"\x00",
    "the last byte missing": GOOD[:-1],
    "an array of five": b"\x85" + GOOD[1:] + b"\xf6",
    "an array of indefinite length": b"\x9f" + GOOD[1:] + b"\xff",
    "an unprotected header": signed(BODY, unprotected=pairs(KID)),
    "alg ES384": signed(BODY, header(HASH, -35)),
    "alg HMAC 256": signed(BODY, header(HASH, 5)),
    "no alg": signed(BODY, pairs(KID)),
    "no certificate's hash": signed(BODY, pairs((integer(1), integer(-7)))),
    "the certificate's hash before alg": signed(BODY, pairs(KID, (integer(1), integer(-7)))),
    "a third protected header": signed(BODY, pairs((integer(1), integer(-7)), KID, (integer(16), integer(61)))),
    "a certificate's hash of 7 bytes": signed(BODY, header(HASH[:7])),
    "a certificate's hash of 32 bytes": signed(BODY, header(sha256(CERTIFICATE).digest())),
    "the certificate's hash as text": signed(BODY, pairs((integer(1), integer(-7)), (integer(4), tstr("12345678")))),
    "a byte after the protected header": signed(BODY, P + b"\x00"),
    "a byte after the claims": signed(BODY + b"\x00"),
    "claims that are an array": signed(array(integer(1))),
    "claims of indefinite length": signed(b"\xbf" + BODY[1:] + b"\xff"),
    "a claim counted but missing": signed(b"\xa6" + body(RECEIPT)[1:]),
    "four claims": signed(pairs(*ALL[:4])),
    "a seventh claim": signed(pairs(*ALL, (integer(7), integer(1)))),
    "an unknown claim in place of the challenge": with_pair(5, (integer(7), ALL[5][1])),
    "a claim twice": signed(pairs(*ALL[:5], ALL[4])),
    "two claims swapped": signed(pairs(ALL[0], ALL[2], ALL[1], *ALL[3:])),
    "an empty device id": changed(deviceId=""),
    "a device id of 129 characters": changed(deviceId="x" * 129),
    "a device id as bytes": with_pair(0, (integer(1), bstr(b"ebt-21-0001"))),
    "a device id that is not UTF-8": with_pair(0, (integer(1), b"\x62\xff\xff")),
    "a padded length of the device id": with_pair(0, (integer(1), b"\x78\x0bebt-21-0001")),
    "no cti, but a mark and an operation": changed(cti=None),
    "no mark, but a cti and an operation": changed(mark=None),
    "no operation, but a cti and a mark": changed(operation=None),
    "a cti of 7 bytes": changed(cti="00" * 7),
    "a cti of 9 bytes": changed(cti="00" * 9),
    "a cti that is true": with_pair(1, (integer(2), TRUE)),
    "a cti that is undefined": with_pair(1, (integer(2), UNDEFINED)),
    "a mark of 8 bytes": changed(mark="00" * 8),
    "a mark of 33 bytes": changed(mark="00" * 33),
    "operation 0": changed(operation=0),
    "operation 3": changed(operation=3),
    "a negative operation": changed(operation=-1),
    "more than 2^32 − 1 commits": changed(commits=2**32),
    "a negative number of commits": changed(commits=-1),
    "commits that are null": with_pair(4, (integer(5), NULL)),
    "commits as a float": with_pair(4, (integer(5), b"\xfb" + struct.pack(">d", 1))),
    "commits in eight bytes": with_pair(4, (integer(5), b"\x1b" + struct.pack(">Q", 7))),
    "a challenge of 15 bytes": changed(challenge="00" * 15),
    "a challenge of 17 bytes": changed(challenge="00" * 17),
    "a challenge that is null": with_pair(5, (integer(6), NULL)),
    "a signature in DER": array(bstr(P), pairs(), bstr(BODY), bstr(KEY.sign(b"", ec.ECDSA(hashes.SHA256())))),
    "a signature of 63 bytes": array(bstr(P), pairs(), bstr(BODY), bstr(sign(KEY, P, BODY)[1][:63])),
    "longer than any statement": changed(deviceId="x" * 1000),
}
OTHER = private_key(b"another tag")
BAD_SIGNATURE = {
    "by another tag's key": sign1(OTHER, P, BODY),
    "over other claims": array(bstr(P), pairs(), bstr(BODY), bstr(sign(KEY, P, body(RECEIPT))[1])),
    "over another certificate's hash": array(bstr(P), pairs(), bstr(BODY), bstr(sign(KEY, header(bytes(8)), BODY)[1])),
    "with external data": array(bstr(P), pairs(), bstr(BODY), bstr(sign(KEY, P, BODY, b"x")[1])),
    "of zeros": array(bstr(P), pairs(), bstr(BODY), bstr(bytes(64))),
    "with r and s swapped": (lambda s: array(bstr(P), pairs(), bstr(BODY), bstr(s[32:] + s[:32])))(sign(KEY, P, BODY)[1]),
}
print(json.dumps({
    "source": "kit/vectors/statement_vectors.py: CBOR written by hand, ES256 by OpenSSL through python3-cryptography",
    "key": key_members(KEY),
    "certificate": CERTIFICATE.hex(),
    "certificateHash": HASH.hex(),
    "mark": {"nonce": NONCE.hex(), "payloadDigest": DIGEST.hex(), "mark": MARK.hex()},
    "valid": [valid("nothing ever committed", NEVER), valid("a receipt", RECEIPT),
              valid("presence after a clear, at the highest number", PRESENCE), valid("the longest device id", TEXT)],
    "refused": [{"name": name, "bytes": value.hex()} for name, value in REFUSED.items()],
    "badSignature": [{"name": name, "bytes": value.hex()} for name, value in BAD_SIGNATURE.items()],
}, indent=1, ensure_ascii=False))
