"""Makes core/vectors/token.json: transaction tokens by an implementation that shares nothing with core/sec.

CBOR and COSE are those of cose_by_hand.py. Run from the project's root:
    python3 kit/vectors/token_vectors.py > core/vectors/token.json
Signatures are randomised: every run gives other, equally good tokens.
"""
import json
import struct
from hashlib import sha256

from cose_by_hand import array, bstr, integer, key_members, pairs, private_key, tstr
from cose_by_hand import header as header_of
from cose_by_hand import sign as sign_with
from cose_by_hand import sign1
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

KEY = private_key(b"taglatch token vectors")
KID = "kid-1"
LABEL = {"iss": 1, "aud": 3, "exp": 4, "iat": 6, "cti": 7, "cnfSpkiSha256": 8, "nonce": 10,
         "channelBinding": -65537, "version": -65538, "payloadDigest": -65539, "ttl": -65540, "operation": -65541}
BYTES = {"cti", "nonce", "channelBinding", "payloadDigest"}
VALUE = {"2.0": 20, "2.1": 21, "write": 1, "clear": 2}


def claim(name, value):
    if name in ("iss", "aud"):
        return integer(LABEL[name]), tstr(value)
    if name == "cnfSpkiSha256":
        return integer(8), pairs((integer(3), bstr(bytes.fromhex(value))))
    if name in BYTES:
        return integer(LABEL[name]), bstr(bytes.fromhex(value))
    return integer(LABEL[name]), integer(VALUE.get(value, value))


def payload(claims):
    return pairs(*[claim(name, claims[name]) for name in LABEL if name in claims])


def header(kid=KID, alg=-7):
    return header_of(kid.encode(), alg)


def sign(protected, body, external=b""):
    return sign_with(KEY, protected, body, external)


def token(protected, body, unprotected=pairs()):
    return sign1(KEY, protected, body, unprotected)


MINIMAL = {"iss": "taglatch", "aud": "ebt-21-0001", "exp": 1795262520, "iat": 1795262400, "cti": "0001020304050607",
           "nonce": "101112131415161718191a1b1c1d1e1f", "ttl": 120}
FULL = {**MINIMAL, "cnfSpkiSha256": sha256(b"spki").hexdigest(), "channelBinding": sha256(b"binding").hexdigest(),
        "version": "2.1", "payloadDigest": sha256(b"payload").hexdigest(), "operation": "write"}
V20 = {**MINIMAL, "aud": "ebt-20-0005", "version": "2.0", "payloadDigest": sha256(b"\xa1\x00\x02").hexdigest(),
       "operation": "clear", "ttl": 23, "exp": 1795262423}
TEXT = {**MINIMAL, "aud": "Étiquette n° 7 / 行李", "iss": "https://tags.example/" + "x" * 40, "ttl": 24, "exp": 2**32 + 24,
        "iat": 2**32}
P = header()
BODY = payload(FULL)
ENTRIES = [claim(name, FULL[name]) for name in LABEL if name in FULL]


def swapped(entries, i):
    entries = list(entries)
    entries[i], entries[i + 1] = entries[i + 1], entries[i]
    return entries


def with_claims(**changes):
    return token(P, payload({**FULL, **changes}))


def valid(name, claims, kid=KID):
    to_be_signed, signature = sign(header(kid), payload(claims))
    encoded = array(bstr(header(kid)), pairs(), bstr(payload(claims)), bstr(signature))
    return {"name": name, "kid": kid, "claims": claims, "toBeSigned": to_be_signed.hex(), "token": encoded.hex()}


GOOD = token(P, BODY)
REFUSED = {
    "nothing": b"",
    "tagged as COSE_Sign1": b"\xd2" + GOOD,
    "a byte after the end": GOOD + b"\x00",
    "the last byte missing": GOOD[:-1],
    "an array of five": b"\x85" + GOOD[1:] + b"\xf6",
    "an array of indefinite length": b"\x9f" + GOOD[1:] + b"\xff",
    "an unprotected header": token(P, BODY, pairs((integer(4), bstr(KID.encode())))),
    "kid in the unprotected header only": token(pairs((integer(1), integer(-7))), BODY, pairs((integer(4), bstr(KID.encode())))),
    "alg ES384": token(header(alg=-35), BODY),
    "alg EdDSA": token(header(alg=-8), BODY),
    "alg HMAC 256": token(header(alg=5), BODY),
    "no alg": token(pairs((integer(4), bstr(KID.encode()))), BODY),
    "kid before alg": token(pairs((integer(4), bstr(KID.encode())), (integer(1), integer(-7))), BODY),
    "kid as text": token(pairs((integer(1), integer(-7)), (integer(4), tstr(KID))), BODY),
    "kid that is not UTF-8": token(pairs((integer(1), integer(-7)), (integer(4), bstr(b"\xff\xfe"))), BODY),
    "an empty kid": token(header(kid=""), BODY),
    "a third protected header": token(pairs((integer(1), integer(-7)), (integer(4), bstr(KID.encode())), (integer(16), integer(61))), BODY),
    "a byte after the protected header": token(P + b"\x00", BODY),
    "a byte after the claims": token(P, BODY + b"\x00"),
    "claims that are an array": token(P, array(integer(1))),
    "claims of indefinite length": token(P, b"\xbf" + BODY[1:] + b"\xff"),
    "a claim counted but missing": token(P, bytes([BODY[0] + 1]) + BODY[1:]),
    "a claim's label at the end without its value": token(P, bytes([BODY[0] + 1]) + BODY[1:] + integer(-65542)),
    "a protected header counted but missing": token(b"\xa3" + P[1:], BODY),
    "a fifth item counted but missing": b"\x85" + GOOD[1:],
    "a member of cnf counted but missing": token(P, BODY.replace(b"\xa1\x03\x58\x20", b"\xa2\x03\x58\x20")),
    "an unknown claim": token(P, pairs(*ENTRIES, (integer(-65542), integer(1)))),
    "claim nbf": token(P, pairs(*ENTRIES[:3], (integer(5), integer(1)), *ENTRIES[3:])),
    "a claim twice": token(P, pairs(*ENTRIES[:1], *ENTRIES)),
    "the first two claims swapped": token(P, pairs(*swapped(ENTRIES, 0))),
    "cnf after nonce": token(P, pairs(*swapped(ENTRIES, 5))),
    "the private claims swapped": token(P, pairs(*swapped(ENTRIES, 7))),
    "no iss": token(P, payload({k: v for k, v in FULL.items() if k != "iss"})),
    "no nonce": token(P, payload({k: v for k, v in FULL.items() if k != "nonce"})),
    "no ttl": token(P, payload({k: v for k, v in FULL.items() if k != "ttl"})),
    "iat in eight bytes": token(P, BODY.replace(integer(FULL["iat"]), b"\x1b" + struct.pack(">Q", FULL["iat"]))),
    "ttl in two bytes": token(P, BODY.replace(integer(-65540) + integer(120), integer(-65540) + b"\x19\x00\x78")),
    "a padded length of iss": token(P, BODY.replace(tstr("taglatch"), b"\x78\x08taglatch")),
    "iss that is not UTF-8": token(P, BODY.replace(tstr("taglatch"), b"\x68taglatc\xff")),
    "aud as bytes": token(P, BODY.replace(tstr("ebt-21-0001"), bstr(b"ebt-21-0001"))),
    "an empty aud": with_claims(aud=""),
    "an empty iss": with_claims(iss=""),
    "a negative iat": with_claims(iat=-1),
    "iat as a float": token(P, BODY.replace(integer(FULL["iat"]), b"\xfb" + struct.pack(">d", FULL["iat"]))),
    "exp not after iat": with_claims(exp=FULL["iat"]),
    "cti of 7 bytes": with_claims(cti="00" * 7),
    "nonce of 15 bytes": with_claims(nonce="00" * 15),
    "nonce of 17 bytes": with_claims(nonce="00" * 17),
    "ttl 0": with_claims(ttl=0),
    "ttl 121": with_claims(ttl=121),
    "version 22": with_claims(version=22),
    "operation 3": with_claims(operation=3),
    "operation 0": with_claims(operation=0),
    "a digest of 31 bytes": with_claims(payloadDigest="00" * 31),
    "a binding of 33 bytes": with_claims(channelBinding="00" * 33),
    "a thumbprint of 20 bytes": with_claims(cnfSpkiSha256="00" * 20),
    "cnf with a key id instead": token(P, BODY.replace(b"\xa1\x03\x58\x20", b"\xa1\x02\x58\x20")),
    "cnf with two members": token(P, BODY.replace(b"\xa1\x03", b"\xa2\x01\x01\x03")),
    "a signature in DER": array(bstr(P), pairs(), bstr(BODY), bstr(KEY.sign(b"", ec.ECDSA(hashes.SHA256())))),
    "a signature of 63 bytes": array(bstr(P), pairs(), bstr(BODY), bstr(sign(P, BODY)[1][:63])),
    "longer than any token": with_claims(iss="x" * 1000),
}
BAD_SIGNATURE = {
    "over other claims": array(bstr(P), pairs(), bstr(BODY), bstr(sign(P, payload(MINIMAL))[1])),
    "over another header": array(bstr(P), pairs(), bstr(BODY), bstr(sign(header("kid-2"), BODY)[1])),
    "with external data": array(bstr(P), pairs(), bstr(BODY), bstr(sign(P, BODY, b"x")[1])),
    "of zeros": array(bstr(P), pairs(), bstr(BODY), bstr(bytes(64))),
    "with r and s swapped": (lambda s: array(bstr(P), pairs(), bstr(BODY), bstr(s[32:] + s[:32])))(sign(P, BODY)[1]),
}
print(json.dumps({
    "source": "kit/vectors/token_vectors.py: CBOR written by hand, ES256 by OpenSSL through python3-cryptography",
    "key": {"kid": KID, **key_members(KEY)},
    "valid": [valid("mandatory claims alone", MINIMAL), valid("every claim", FULL), valid("a clear on v2.0", V20),
              valid("text beyond ASCII and numbers beyond 32 bits", TEXT, "schlüssel-2")],
    "refused": [{"name": name, "token": value.hex()} for name, value in REFUSED.items()],
    "badSignature": [{"name": name, "token": value.hex()} for name, value in BAD_SIGNATURE.items()],
}, indent=1, ensure_ascii=False))
