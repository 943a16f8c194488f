"""Checks core/vectors/protocol-example.json with another implementation: formulas of docs/protocol.md written out by
hand, primitives of the Python package `cryptography`. Prints how many values agree; fails at the first that does not.

    python3 kit/vectors/check_protocol_example.py
"""

import hashlib
import hmac
import json
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTOR = json.loads((ROOT / "core/vectors/protocol-example.json").read_text())
INPUTS = {k: bytes.fromhex(v) for k, v in VECTOR["inputs"].items() if isinstance(v, str)}
STEPS = {s["name"]: bytes.fromhex(s["value"]) for s in VECTOR["steps"]}
agreed = 0


def same(name, value):
    global agreed
    assert STEPS[name] == value, f"{name}: {STEPS[name].hex()} is not {value.hex()}"
    agreed += 1


def head(major, n):
    if n < 24:
        return bytes([major << 5 | n])
    size = 1 if n < 256 else 2 if n < 65536 else 4
    return bytes([major << 5 | 23 + size.bit_length()]) + n.to_bytes(size, "big")


def enc(x):
    if isinstance(x, bool) or x is None:
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[x]
    if isinstance(x, int):
        return head(0, x) if x >= 0 else head(1, -1 - x)
    if isinstance(x, bytes):
        return head(2, len(x)) + x
    if isinstance(x, str):
        return head(3, len(x.encode())) + x.encode()
    if isinstance(x, list):
        return head(4, len(x)) + b"".join(map(enc, x))
    pairs = sorted((enc(k), enc(v)) for k, v in x.items())
    return head(5, len(pairs)) + b"".join(k + v for k, v in pairs)


def h(data):
    return hashlib.sha256(data).digest()


def kdf(prk, label, context, length):
    info, out, block, i = enc(label) + enc(context) + enc(length), b"", b"", 1
    while len(out) < length:
        block = hmac.new(prk, block + info + bytes([i]), hashlib.sha256).digest()
        out, i = out + block, i + 1
    return out[:length]


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def verify(key, signature, data):
    r, s = (int.from_bytes(signature[i : i + 32], "big") for i in (0, 32))
    key.verify(utils.encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))


client_leaf, middle, tag_leaf = (INPUTS[n] for n in ("client_leaf_der", "client_intermediate_der", "tag_leaf_der"))
certificate = {n: x509.load_der_x509_certificate(INPUTS[n]) for n in INPUTS if n.endswith("_der")}
for child, issuer in (
    ("client_leaf_der", "client_intermediate_der"),
    ("client_intermediate_der", "client_root_der"),
    ("tag_leaf_der", "tag_ca_der"),
):
    certificate[child].verify_directly_issued_by(certificate[issuer])

# Handshake
x, y = (x25519.X25519PrivateKey.from_private_bytes(INPUTS[n]) for n in ("X_priv", "Y_priv"))
g_x, g_y = (k.public_key().public_bytes_raw() for k in (x, y))
message_1 = enc(0) + enc(6) + enc(g_x) + enc(0)
same("message_1", message_1)
same("TH_1", h(message_1))
same("G_Y", g_y)
g_xy = x.exchange(y.public_key())
same("G_XY", g_xy)
th_2 = h(enc(g_y) + enc(h(message_1)))
same("TH_2", th_2)
prk = hmac.new(th_2, g_xy, hashlib.sha256).digest()
same("PRK_2e", prk)
id_cred_r = enc({33: tag_leaf})
same("ID_CRED_R", id_cred_r)
mac_2 = kdf(prk, 2, enc(1) + id_cred_r + enc(th_2) + enc(tag_leaf), 32)
same("MAC_2", mac_2)
signed_2 = enc(["Signature1", id_cred_r, enc(th_2) + enc(tag_leaf), mac_2])
same("signed by the tag", signed_2)
verify(certificate["tag_leaf_der"].public_key(), STEPS["Signature_or_MAC_2"], signed_2)
plaintext_2 = enc(1) + id_cred_r + enc(STEPS["Signature_or_MAC_2"])
same("PLAINTEXT_2", plaintext_2)
keystream = kdf(prk, 0, th_2, len(plaintext_2))
same("KEYSTREAM_2", keystream)
same("message_2", enc(g_y + xor(plaintext_2, keystream)))
th_3 = h(enc(th_2) + plaintext_2 + enc(tag_leaf))
same("TH_3", th_3)
k_3, iv_3, a_3 = kdf(prk, 3, th_3, 16), kdf(prk, 4, th_3, 12), enc(["Encrypt0", b"", th_3])
same("K_3", k_3), same("IV_3", iv_3), same("A_3", a_3)
id_cred_i = enc({33: [client_leaf, middle]})
same("ID_CRED_I", id_cred_i)
mac_3 = kdf(prk, 6, id_cred_i + enc(th_3) + enc(client_leaf), 32)
same("MAC_3", mac_3)
signed_3 = enc(["Signature1", id_cred_i, enc(th_3) + enc(client_leaf), mac_3])
same("signed by the client", signed_3)
verify(certificate["client_leaf_der"].public_key(), STEPS["Signature_or_MAC_3"], signed_3)
plaintext_3 = id_cred_i + enc(STEPS["Signature_or_MAC_3"])
same("PLAINTEXT_3", plaintext_3)
same("message_3", enc(AESGCM(k_3).encrypt(iv_3, plaintext_3, a_3)))
th_4 = h(enc(th_3) + plaintext_3 + enc(client_leaf))
same("TH_4", th_4)
k_4, iv_4 = kdf(prk, 8, th_4, 16), kdf(prk, 9, th_4, 12)
same("K_4", k_4), same("IV_4", iv_4)
same("message_4", enc(AESGCM(k_4).encrypt(iv_4, b"", enc(["Encrypt0", b"", th_4]))))
prk_out = kdf(prk, 7, th_4, 32)
same("PRK_out", prk_out)
exporter = kdf(prk_out, 10, b"", 32)
same("PRK_exporter", exporter)

# Channel, payload, token
info = bytes([21, 20]) + (0b111).to_bytes(2, "little") + (244).to_bytes(2, "little") + (2048).to_bytes(2, "little")
info += bytes([1, 0b10, 87]) + b"ebt-21-0001"
same("INFO", info)
keys = {}
for label, (name, length) in enumerate(
    [("k_i2r", 16), ("k_r2i", 16), ("iv_i2r", 12), ("iv_r2i", 12), ("channel binding", 32)], 32768
):
    keys[name] = kdf(exporter, label, b"", length)
    same(name, keys[name])
flights = [["SK1234", "22NOV", "ARN"], ["SK0999", "22NOV", "HEL"]]
label = {0: 1, 1: "0117123456", 2: "LOVELACE/ADA", 5: "OSL", 6: flights, 7: "HELSINKI", 8: "SK 123456", 9: 1}
payload = enc(label)
same("payload", payload)
same("payload digest", h(payload))
spki = certificate["client_leaf_der"].public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
same("client key", spki)
same("cnf", h(spki))
iat = 1795262400
claims = {1: "taglatch", 3: "ebt-21-0001", 4: iat + 120, 6: iat, 7: INPUTS["cti"], 8: {3: h(spki)}, 10: INPUTS["nonce"]}
claims |= {-65537: keys["channel binding"], -65538: 21, -65539: h(payload), -65540: 120, -65541: 1}
protected = enc({1: -7, 4: b"example-1"})
signed = enc(["Signature1", protected, b"", enc(claims)])
same("signed by the service", signed)
point = b"\x04" + bytes.fromhex(VECTOR["inputs"]["token_public_key"]["x"] + VECTOR["inputs"]["token_public_key"]["y"])
verify(ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point), STEPS["token signature"], signed)
token = enc([protected, {}, enc(claims), STEPS["token signature"]])
same("token", token)

# Statement
mark = h(INPUTS["nonce"] + h(payload))
same("mark", mark)
same("certificate hash", h(tag_leaf)[:8])
protected = enc({1: -7, 4: h(tag_leaf)[:8]})
claims = enc({1: "ebt-21-0001", 2: INPUTS["cti"], 3: mark, 4: 1, 5: 1})
signed = enc(["Signature1", protected, b"", claims])
same("signed by the tag, statement", signed)
verify(certificate["tag_leaf_der"].public_key(), STEPS["statement signature"], signed)
statement = enc([protected, {}, claims, STEPS["statement signature"]])
same("statement", statement)

# Records
hello = [16, {1: INPUTS["nonce"], 2: 120, 3: "ebt-21-0001", 4: [2, 1], 5: h(info), 6: 0, 7: None}]
spoken = [
    ("r2i", 0, "hello", hello),
    ("i2r", 0, "token", [1, token]),
    ("r2i", 1, "status", [17, 1]),
    ("i2r", 1, "data", [2, 0, payload]),
    ("i2r", 2, "commit", [3, h(payload), len(payload)]),
    ("r2i", 2, "status", [17, 2]),
    ("r2i", 3, "statement", [18, statement]),
]
for way, number, name, items in spoken:
    plaintext, kind = enc(items), bytes([items[0]])
    nonce = xor(keys[f"iv_{way}"], number.to_bytes(12, "big"))
    associated = kind + number.to_bytes(8, "big") + len(plaintext).to_bytes(2, "big")
    same(f"{way} {number}: {name}", plaintext)
    same(f"{way} {number}: nonce", nonce)
    same(f"{way} {number}: associated data", associated)
    same(f"{way} {number}: record", kind + AESGCM(keys[f"k_{way}"]).encrypt(nonce, plaintext, associated))
print(f"{agreed} values agree")
