"""Makes core/vectors/certificates.json: certificate chains, good and bad, by OpenSSL (package `cryptography`).

Run from the project's root:
    python3 kit/vectors/certificate_vectors.py > core/vectors/certificates.json
Signatures are randomised: every run gives other, equally good (or bad) chains.
"""
import json
from datetime import datetime, timedelta, timezone
from hashlib import sha256

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

EKU_CLIENT = ObjectIdentifier("1.3.6.1.4.1.99999.1.1")
EKU_TAG = ObjectIdentifier("1.3.6.1.4.1.99999.1.2")
CLIENT = [ExtendedKeyUsageOID.CLIENT_AUTH, EKU_CLIENT]
TAG = [EKU_TAG]
NOW = datetime(2026, 6, 1, 12, 0, 0, tzinfo=timezone.utc)
FOREVER = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
DAYS = timedelta(days=1)
SIGN, CERTIFY = {"digital_signature"}, {"key_cert_sign", "crl_sign"}
USAGES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
          "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
certificates = []  # each certificate once; chains and anchors are indices
counter = iter(range(1, 10_000))


def key(name, curve=ec.SECP256R1()):
    return ec.derive_private_key(int.from_bytes(sha256(name.encode()).digest(), "big") >> 1, curve)


def name(*attributes):
    if len(attributes) == 1 and isinstance(attributes[0], str):
        attributes = [(NameOID.COMMON_NAME, attributes[0])]
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in attributes])


def device(*ids):
    return name(*[(NameOID.SERIAL_NUMBER, i) for i in ids])


def certificate(subject, public, issuer, signer, *, ca=None, path=None, usage=None, eku=None, start=NOW - DAYS,
                end=NOW + 6 * DAYS, digest=hashes.SHA256(), more=(), serial=None):
    builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public)
               .serial_number(serial or next(counter)).not_valid_before(start).not_valid_after(end))
    if ca is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca, path), critical=True)
    if usage is not None:
        builder = builder.add_extension(x509.KeyUsage(**{u: u in usage for u in USAGES}), critical=True)
    if eku is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage(eku), critical=True)
    for extension, critical in more:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(signer, digest).public_bytes(Encoding.DER)


ROOT, INTERMEDIATE, TAG_CA = name("Root"), name("Intermediate"), name("Tag CA")
root_key, intermediate_key, leaf_key, tag_ca_key, tag_key, other_key = map(key, ("root", "intermediate", "leaf", "tag ca", "tag", "other"))


def authority(subject, own, issuer, signer, path=None, **changes):
    options = {"ca": True, "path": path, "usage": CERTIFY, "start": NOW - 100 * DAYS, "end": NOW + 1000 * DAYS, **changes}
    return certificate(subject, own.public_key(), issuer, signer, **options)


def client(signer=intermediate_key, issuer=INTERMEDIATE, public=leaf_key.public_key(), subject=name("pseudonym"), **changes):
    return certificate(subject, public, issuer, signer, **{"ca": False, "usage": SIGN, "eku": CLIENT, **changes})


def tag(subject=device("ebt-21-0001"), signer=tag_ca_key, issuer=TAG_CA, **changes):
    return certificate(subject, tag_key.public_key(), issuer, signer, **{"ca": False, "usage": SIGN, "eku": TAG, "end": FOREVER, **changes})


root = authority(ROOT, root_key, ROOT, root_key, 1)
intermediate = authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0)
tag_ca = authority(TAG_CA, tag_ca_key, TAG_CA, tag_ca_key, 0)
old_root = authority(ROOT, other_key, ROOT, other_key, 1)
leaf = client()
other_ca = authority(name("Other"), other_key, name("Other"), other_key)
open_ca = authority(TAG_CA, tag_ca_key, TAG_CA, tag_ca_key)
factory = authority(name("Factory"), other_key, TAG_CA, tag_ca_key)
NOTE = x509.UnrecognizedExtension(ObjectIdentifier("1.3.6.1.4.1.99999.9"), b"\x05\x00")


def spki(private):
    return private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo).hex()


def index(der):
    if der.hex() not in certificates:
        certificates.append(der.hex())
    return certificates.index(der.hex())


def case(title, role, chain, anchors, **more):
    return {"name": title, "role": role, "chain": [index(c) for c in chain], "anchors": [index(a) for a in anchors],
            "at": NOW.isoformat().replace("+00:00", "Z"), **more}


def good(title, role, chain, anchors, subject=None, at=NOW):
    own = leaf_key if role == "client" else tag_key
    found = case(title, role, chain, anchors, spki=spki(own), subjectSerialNumber=subject)
    return {**found, "at": at.isoformat().replace("+00:00", "Z")}


VALID = [
    good("a client leaf and its intermediate", "client", [leaf, intermediate], [root]),
    good("a client chain with the root sent along", "client", [leaf, intermediate, root], [root]),
    good("a client leaf alone under a pinned intermediate", "client", [leaf], [intermediate]),
    good("a client chain under the second of two roots of one name", "client", [leaf, intermediate], [old_root, root]),
    good("a client leaf without basic constraints", "client", [client(ca=None), intermediate], [root]),
    good("a client leaf that may also commit to content", "client", [client(usage=SIGN | {"content_commitment"}), intermediate], [root]),
    good("a client leaf with usages in the other order", "client", [client(eku=CLIENT[::-1]), intermediate], [root]),
    good("a client leaf with an unknown extension that is not critical", "client", [client(more=[(NOTE, False)]), intermediate], [root]),
    good("a client leaf in its first second", "client", [client(start=NOW), intermediate], [root]),
    good("a client leaf in its last second", "client", [client(end=NOW), intermediate], [root]),
    good("an intermediate limited to client usages", "client", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0, eku=CLIENT)], [root]),
    good("a tag leaf alone", "tag", [tag()], [tag_ca], "ebt-21-0001"),
    good("a tag leaf of the fewest bytes", "tag", [tag(ca=None, serial=0x7A6C5E4D3C2B1A09)], [tag_ca], "ebt-21-0001"),
    good("a tag leaf with its CA", "tag", [tag(), tag_ca], [tag_ca], "ebt-21-0001"),
    good("a tag leaf under a factory CA", "tag", [tag(signer=other_key, issuer=name("Factory")), factory], [open_ca], "ebt-21-0001"),
    good("a tag leaf in the year 9000", "tag", [tag(start=NOW)], [authority(TAG_CA, tag_ca_key, TAG_CA, tag_ca_key, end=FOREVER)],
         "ebt-21-0001", datetime(9000, 1, 1, tzinfo=timezone.utc)),
    good("a tag leaf with more attributes in its name", "tag",
         [tag(name((NameOID.COMMON_NAME, "Bag tag"), (NameOID.SERIAL_NUMBER, "ebt 7"), (NameOID.ORGANIZATION_NAME, "Maker")))], [tag_ca], "ebt 7"),
    good("a tag leaf without device id", "tag", [tag(name("unnamed"))], [tag_ca]),
]


def bad(code, title, chain, anchors=(root,), role="client"):
    return case(title, role, chain, anchors, code=code)


# The parts of a certificate that no signature covers, spelt in ways that BER allows and DER does not.
def length(n):
    return bytes([n]) if n < 128 else bytes([0x81, n]) if n < 256 else bytes([0x82, n >> 8, n & 255])


def tlv(t, content):
    return bytes([t]) + length(len(content)) + content


def parts(der):
    def take(at):
        n = der[at + 1]
        header, size = (2, n) if n < 128 else (2 + n - 128, int.from_bytes(der[at + 2:at + 2 + n - 128], "big"))
        return der[at:at + header + size], der[at + header:at + header + size], at + header + size
    tbs, _, at = take(4)
    algorithm, _, at = take(at)
    return tbs, algorithm, take(at)[1]


TBS, ALGORITHM, SIGNATURE = parts(leaf)
R = SIGNATURE[5:5 + SIGNATURE[4]]
S = SIGNATURE[5 + SIGNATURE[4] + 2:]


def rewritten(algorithm=ALGORITHM, signature=SIGNATURE, surplus=b""):
    return tlv(0x30, TBS + algorithm + tlv(3, signature) + surplus)


def dss(r, s, surplus=b""):
    return b"\x00" + tlv(0x30, tlv(2, r) + tlv(2, s) + surplus)


assert rewritten(signature=dss(R, S)) == leaf
DER = {
    "a padded outer length": b"\x30\x83\x00" + leaf[2:],
    "an indefinite outer length": b"\x30\x80" + leaf[4:] + b"\x00\x00",
    "a byte after the certificate": leaf + b"\x00",
    "a byte missing": leaf[:-1],
    "an item after the signature": rewritten(surplus=b"\x05\x00"),
    "parameters in the outer algorithm": rewritten(algorithm=bytes.fromhex("300c06082a8648ce3d0403020500")),
    "another outer algorithm": rewritten(algorithm=bytes.fromhex("300a06082a8648ce3d040303")),
    "a padded signature integer": rewritten(signature=dss(R[:0] + b"\x00" * (1 if R[0] < 128 and R[0] != 0 else 2) + R, S)),
    "a negative signature integer": rewritten(signature=dss(b"\x80" + R[1:], S)),
    "an item after the signature integers": rewritten(signature=dss(R, S, b"\x05\x00")),
    "a byte after the signature": rewritten(signature=dss(R, S) + b"\x00"),
    "unused bits in the signature": rewritten(signature=b"\x01" + SIGNATURE[1:]),
    "a signature integer of 34 bytes": rewritten(signature=dss(b"\x01" + bytes(33), S)),
    "a signature of zeros": rewritten(signature=dss(b"\x00", b"\x00")),
    "no signature": rewritten(signature=b"\x00"),
    "no bytes": b"",
}

REFUSED = [
    bad("CHAIN", "no certificate", []),
    bad("CHAIN", "no anchor", [leaf, intermediate], []),
    bad("CHAIN", "the anchor alone", [root]),
    bad("CHAIN", "the tag CA as a tag", [tag_ca], [tag_ca], "tag"),
    bad("CHAIN", "endpoint 7's order", [intermediate, leaf]),
    bad("CHAIN", "the intermediate missing", [leaf]),
    bad("CHAIN", "the intermediate twice", [leaf, intermediate, intermediate]),
    bad("CHAIN", "the leaf twice", [leaf, leaf]),
    bad("CHAIN", "four certificates", [leaf, intermediate, intermediate, root]),
    bad("CHAIN", "a root that is not pinned", [leaf, intermediate, root], [tag_ca]),
    bad("CHAIN", "another root of the same name", [leaf, intermediate], [old_root]),
    bad("CHAIN", "an intermediate of the same name and another key", [leaf, authority(INTERMEDIATE, other_key, ROOT, root_key, 0)]),
    bad("CHAIN", "an intermediate that signed itself", [leaf, authority(INTERMEDIATE, intermediate_key, INTERMEDIATE, intermediate_key, 0)]),
    bad("CHAIN", "an intermediate signed by a stranger in the root's name", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, other_key, 0)]),
    bad("CHAIN", "a leaf signed by a stranger in the intermediate's name", [client(signer=other_key), intermediate]),
    bad("CHAIN", "a leaf that names another issuer", [client(issuer=name("Intermediate ")), intermediate]),
    bad("CHAIN", "a leaf that signed itself", [client(signer=leaf_key, issuer=name("pseudonym"))]),
    bad("CHAIN", "a leaf that issued a leaf", [client(signer=leaf_key, issuer=name("pseudonym")), leaf, intermediate]),
    bad("CHAIN", "an intermediate without basic constraints", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, None, ca=None)]),
    bad("CHAIN", "an intermediate that is no CA", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, None, ca=False)]),
    bad("CHAIN", "an intermediate that may not sign certificates", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0, usage={"crl_sign", "digital_signature"})]),
    bad("CHAIN", "an intermediate without key usage", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0, usage=None)]),
    bad("CHAIN", "an intermediate under a path length of 0", [leaf, intermediate], [authority(ROOT, root_key, ROOT, root_key, 0)]),
    bad("CHAIN", "a CA under an intermediate of path length 0",
        [client(signer=other_key, issuer=name("Sub")), authority(name("Sub"), other_key, INTERMEDIATE, intermediate_key), intermediate]),
    bad("CHAIN", "a pinned root that is no CA", [leaf, intermediate], [authority(ROOT, root_key, ROOT, root_key, None, ca=False)]),
    bad("CHAIN", "a leaf that is a CA", [client(ca=True), intermediate]),
    bad("CHAIN", "a leaf that may sign certificates", [client(usage=SIGN | {"key_cert_sign"}), intermediate]),
    bad("CHAIN", "a leaf that may not sign", [client(usage={"key_agreement"}), intermediate]),
    bad("CHAIN", "a leaf without key usage", [client(usage=None), intermediate]),
    bad("CHAIN", "an unknown critical extension", [client(more=[(NOTE, True)]), intermediate]),
    bad("CHAIN", "a critical name constraint on the intermediate",
        [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0, more=[(x509.NameConstraints([x509.DNSName("example")], None), True)])]),
    bad("CHAIN", "a P-384 key", [client(public=key("leaf", ec.SECP384R1()).public_key()), intermediate]),
    bad("CHAIN", "an RSA key", [client(public=rsa.generate_private_key(65537, 2048).public_key()), intermediate]),
    bad("CHAIN", "an Ed25519 key", [client(public=ed25519.Ed25519PrivateKey.generate().public_key()), intermediate]),
    bad("CHAIN", "a signature over SHA-384", [client(digest=hashes.SHA384()), intermediate]),
    bad("CHAIN", "a signature by P-384", [client(signer=key("x", ec.SECP384R1())),
        authority(INTERMEDIATE, key("x", ec.SECP384R1()), ROOT, root_key, 0)]),
    bad("CHAIN", "two device ids", [tag(device("ebt-21-0001", "ebt-21-0002"))], [tag_ca], "tag"),
    bad("CHAIN", "more bytes than any of our certificates has", [client(subject=name("x"), more=[(x509.UnrecognizedExtension(ObjectIdentifier("1.3.6.1.4.1.99999.8"), b"\x04\x82\x08\x00" + bytes(2048)), False)]), intermediate]),
    *[bad("CHAIN", title, [der, intermediate]) for title, der in DER.items()],
    bad("EKU", "a client in the tag's role", [leaf, intermediate], [root], "tag"),
    bad("EKU", "a tag in the client's role", [tag()], [tag_ca], "client"),
    bad("EKU", "no extended key usage", [client(eku=None), intermediate]),
    bad("EKU", "TLS client authentication alone", [client(eku=CLIENT[:1]), intermediate]),
    bad("EKU", "our client usage alone", [client(eku=CLIENT[1:]), intermediate]),
    bad("EKU", "both roles", [client(eku=[*CLIENT, EKU_TAG]), intermediate]),
    bad("EKU", "any usage", [client(eku=[ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE]), intermediate]),
    bad("EKU", "any usage beside ours", [tag(eku=[EKU_TAG, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE])], [tag_ca], "tag"),
    bad("EKU", "a usage that only begins like ours", [tag(eku=[ObjectIdentifier("1.3.6.1.4.1.99999.1.2.1")])], [tag_ca], "tag"),
    bad("EKU", "an intermediate limited to another usage", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0, eku=TAG)]),
    bad("CRED_TIME", "a leaf that ended a second ago", [client(end=NOW - timedelta(seconds=1)), intermediate]),
    bad("CRED_TIME", "a leaf that begins in a second", [client(start=NOW + timedelta(seconds=1)), intermediate]),
    bad("CRED_TIME", "an intermediate that ended", [leaf, authority(INTERMEDIATE, intermediate_key, ROOT, root_key, 0, end=NOW - DAYS)]),
    bad("CRED_TIME", "a pinned root that ended", [leaf, intermediate], [authority(ROOT, root_key, ROOT, root_key, 1, end=NOW - DAYS)]),
]

print(json.dumps({
    "source": "kit/vectors/certificate_vectors.py: certificates by OpenSSL through python3-cryptography",
    "certificates": certificates,
    "valid": VALID,
    "refused": REFUSED,
}, indent=1, ensure_ascii=False))
