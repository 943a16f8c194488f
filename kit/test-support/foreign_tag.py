"""A v2.0 tag that shares no code with this project, for tests of the checks: a host stack over H4 (Bluetooth Core 6.0, Vol 3
and 4), and of docs/protocol.md the GATT profile, frames, NONCE and timers. It verifies no certificate, so it refuses each.

    python3 foreign_tag.py /dev/pts/3
"""
import os
import select
import struct
import sys
import time
import tty

ID = b"foreign-0042"
MTU, MAX_MESSAGE = 185, 2048
IDLE, CONNECTED = 0, 1
FRAME, TOO_LARGE, BUSY, TIMEOUT, STATE, CHAIN = 16, 17, 18, 19, 20, 34
READ, WRITE, COMMAND, NOTIFY, INDICATE = 0x02, 0x08, 0x04, 0x10, 0x20


def tag_uuid(last):
    return bytes.fromhex(f"a9ffda{last:02x}387d4bec94e5e89af21bf541")[::-1]


def short(number):
    return struct.pack("<H", number)


# Service, then its characteristics: UUID, properties, name.
TABLE = [
    (short(0x1800), [(short(0x2A00), READ, "NAME")]),
    (short(0x1801), [(short(0x2A05), INDICATE, ""), (short(0x2B29), READ | WRITE, "FEATURES"), (short(0x2B2A), READ, "HASH")]),
    (
        tag_uuid(0x49),
        [
            (tag_uuid(0x4A), READ, "INFO"),
            (tag_uuid(0x4B), READ, "ID"),
            (tag_uuid(0x4C), WRITE, "CERT"),
            (tag_uuid(0x4D), READ, "NONCE"),
            (tag_uuid(0x4E), WRITE, "AUTH"),
            (tag_uuid(0x50), WRITE | COMMAND, "DATA"),
            (tag_uuid(0x51), READ | NOTIFY, "STATUS"),
        ],
    ),
    (short(0x180F), [(short(0x2A19), READ, "LEVEL")]),
    (short(0x180A), [(short(0x2A29), READ, "MAKER"), (short(0x2A24), READ, "MODEL"), (short(0x2A26), READ, "FIRMWARE")]),
]
FIXED = {
    "NAME": b"EBT-" + ID[-4:],
    "FEATURES": b"\0",
    # Of this table: a firmware computes it once (AES-CMAC, Vol 3, Part G, 7.3).
    "HASH": bytes.fromhex("db3cfeb39a31e1670d98f97ac1dbb95f"),
    "ID": ID,
    "LEVEL": bytes([64]),
    "MAKER": b"Another maker",
    "MODEL": b"Foreign",
    "FIRMWARE": b"0.9",
}


class Attribute:
    def __init__(self, uuid, value=b"", name="", properties=0):
        self.uuid, self.value, self.name, self.properties, self.end = uuid, value, name, properties, 0


def attributes():
    """Handle - 1 is the index."""
    rows = []
    for service, characteristics in TABLE:
        declared = Attribute(short(0x2800), service)
        rows.append(declared)
        for uuid, properties, name in characteristics:
            rows.append(Attribute(short(0x2803), bytes([properties]) + short(len(rows) + 2) + uuid))
            rows.append(Attribute(uuid, name=name, properties=properties))
            if properties & (NOTIFY | INDICATE):
                rows.append(Attribute(short(0x2902), b"\0\0", "CCCD", READ | WRITE))
        declared.end = len(rows)
    return rows


class Refused(Exception):
    """An ATT error."""


class Tag:
    """docs/protocol.md, as far as a tag goes that accepts no chain."""

    def __init__(self):
        self.code, self.state = 0, IDLE

    def connect(self):
        self.state, self.code, self.ended, self.is_read = CONNECTED, 0, None, False
        self.open, self.nonce, self.touched, self.frame = {}, os.urandom(16), time.monotonic(), 20

    def refuse(self, code):
        self.code, self.state, self.ended, self.open = code, IDLE, time.monotonic(), {}

    def read(self, name, mtu):
        self.touched = time.monotonic()
        if name == "INFO":
            self.frame = mtu - 3
            head = struct.pack("<BBHHHBBB", 20, 20, 0, self.frame, MAX_MESSAGE, self.state, 0b10, 64)
            return head + (ID if len(head + ID) <= self.frame else b"")
        if name == "STATUS":
            self.is_read = self.ended is not None
            return bytes([self.state, self.code, 0, 64, 0]) + bytes(8)
        if name == "NONCE":
            return b"" if self.ended else self.nonce
        return FIXED[name]

    def write(self, name, value, mtu):
        self.touched = time.monotonic()
        if len(value) > mtu - 3:
            raise Refused(0x0D)
        if self.ended or name not in ("CERT", "AUTH", "DATA"):
            return
        code = self.take(name, value)
        if code is not None:
            self.refuse(code)

    def take(self, name, value):
        """One frame. Gives the code of a refusal."""
        is_first = len(value) > 0 and value[0] & 0x80 != 0
        header = 4 if is_first else 1
        if len(value) < header or is_first == (name in self.open):
            return FRAME
        if is_first:
            kind, total = value[1], struct.unpack_from("<H", value, 2)[0]
            if kind not in (1, 2, 3, 4, 5, 6, 127):
                return FRAME
            if total > MAX_MESSAGE:
                return TOO_LARGE
            # On v2.0 a frame on DATA that does not complete its message is data, which needs an accepted token.
            self.open[name] = [kind, total, b"", 0, time.monotonic()]
        message = self.open[name]
        if value[0] & 0x3F != message[3] % 64:
            return FRAME
        body = value[header:]
        message[2] += body
        message[3], message[4] = message[3] + 1, time.monotonic()
        is_whole = len(message[2]) == message[1]
        if not body or len(message[2]) > message[1] or is_whole != (value[0] & 0x40 != 0):
            return FRAME
        if not is_whole:
            return STATE if name == "DATA" else None
        del self.open[name]
        return CHAIN if (name, message[0]) == ("CERT", 4) else STATE

    def timers(self):
        """Whether the link has to end."""
        now = time.monotonic()
        if self.ended is None:
            late = any(now - message[4] > 5 for message in self.open.values())
            if late or now - self.touched > 10:
                self.refuse(TIMEOUT)
            return False
        return self.is_read or now - self.ended > 2


class Host:
    """HCI, L2CAP and ATT of one peripheral with one connection."""

    def __init__(self, line):
        self.line, self.tag, self.rows, self.link, self.buffer = line, Tag(), attributes(), None, b""

    # ---- HCI

    def command(self, opcode, values=b""):
        os.write(self.line, struct.pack("<BHB", 1, opcode, len(values)) + values)
        while True:
            packet = self.packet(None)
            if packet[0] == 4 and packet[1] == 0x0E and struct.unpack_from("<H", packet, 4)[0] == opcode:
                return

    def packet(self, wait):
        while True:
            kind = self.buffer[0] if self.buffer else None
            size = {None: 1, 2: 5, 4: 3}[kind]
            if len(self.buffer) >= size and kind is not None:
                size += struct.unpack_from("<H", self.buffer, 3)[0] if kind == 2 else self.buffer[2]
                if len(self.buffer) >= size:
                    packet, self.buffer = self.buffer[:size], self.buffer[size:]
                    return packet
            if not select.select([self.line], [], [], wait)[0]:
                return None
            self.buffer += os.read(self.line, 4096)

    def run(self):
        self.command(0x0C03)
        self.command(0x0C01, b"\xff" * 8)
        self.command(0x2001, b"\xff" * 8)
        self.command(0x2005, bytes.fromhex("42000000fec2"))
        self.command(0x2006, struct.pack("<HHBBB6sBB", 160, 240, 0, 1, 0, bytes(6), 7, 0))
        data = bytes([2, 1, 6, 17, 7]) + tag_uuid(0x49)
        name = bytes([9, 9]) + FIXED["NAME"]
        self.command(0x2008, bytes([len(data)]) + data.ljust(31, b"\0"))
        self.command(0x2009, bytes([len(name)]) + name.ljust(31, b"\0"))
        self.command(0x200A, b"\1")
        while True:
            packet = self.packet(0.05)
            if packet is not None:
                self.event(packet) if packet[0] == 4 else self.data(packet)
            if self.link is not None and self.tag.timers():
                # The answer has left: this loop runs after the controller has taken it.
                os.write(self.line, struct.pack("<BHBHB", 1, 0x0406, 3, self.link, 0x13))
                self.tag.ended, self.tag.is_read = float("inf"), False

    def event(self, packet):
        if packet[1] == 0x3E and packet[3] in (0x01, 0x0A) and packet[4] == 0:
            self.link, self.mtu, self.joined, self.last = struct.unpack_from("<H", packet, 5)[0] & 0xFFF, 23, b"", {}
            self.tag.connect()
        elif packet[1] == 0x05 and self.link is not None:
            self.link, self.tag.state = None, IDLE
            self.command(0x200A, b"\1")

    # ---- L2CAP

    def data(self, packet):
        flags = struct.unpack_from("<H", packet, 1)[0] >> 12 & 3
        self.joined = packet[5:] if flags != 1 else self.joined + packet[5:]
        length, channel = struct.unpack_from("<HH", self.joined)
        if len(self.joined) < 4 + length:
            return
        message = self.joined[4 : 4 + length]
        if channel == 4:
            answer = self.att(message)
            if answer is not None:
                self.send(4, answer)
        elif channel == 6 and message[0] == 0x01:
            self.send(6, b"\x05\x05")

    def send(self, channel, message):
        if self.link is not None:
            frame = struct.pack("<HH", len(message), channel) + message
            os.write(self.line, struct.pack("<BHH", 2, self.link, len(frame)) + frame)

    # ---- ATT

    def att(self, request):
        opcode = request[0]
        handle = struct.unpack_from("<H", request, 1)[0] if len(request) > 2 else 0
        try:
            if opcode == 0x52:
                self.write(handle, request[3:], COMMAND)
                return None
            answer = self.answer(opcode, handle, request)
            return answer if answer is not None or opcode in (0x1E, 0xD2) else bytes([1, opcode, 0, 0, 6])
        except Refused as refused:
            return None if opcode == 0x52 else struct.pack("<BBHB", 1, opcode, handle, refused.args[0])

    def answer(self, opcode, handle, request):
        if opcode == 0x02:
            self.mtu = max(23, min(MTU, handle))
            return b"\x03" + short(MTU)
        if opcode in (0x08, 0x10):
            return self.by_type(opcode, handle, struct.unpack_from("<H", request, 3)[0], request[5:])
        if opcode == 0x06:
            last, kind = struct.unpack_from("<HH", request, 3)
            found = [at for at in self.within(handle, last, short(kind)) if self.row(at).value == request[7:]]
            return b"\x07" + b"".join(short(at) + short(self.row(at).end) for at in self.some(found))
        if opcode == 0x04:
            found = self.some([at for at in range(handle, len(self.rows) + 1) if at <= struct.unpack_from("<H", request, 3)[0]])
            size = len(self.row(found[0]).uuid)
            alike = [at for at in found[: (self.mtu - 2) // (2 + size)] if len(self.row(at).uuid) == size]
            return bytes([5, 1 if size == 2 else 2]) + b"".join(short(at) + self.row(at).uuid for at in alike)
        if opcode == 0x0A:
            self.last[handle] = self.read(handle)
            return b"\x0b" + self.last[handle][: self.mtu - 1]
        if opcode == 0x0C:
            offset = struct.unpack_from("<H", request, 3)[0]
            if handle not in self.last:
                raise Refused(0x0B)
            if offset > len(self.last[handle]):
                raise Refused(0x07)
            return b"\x0d" + self.last[handle][offset : offset + self.mtu - 1]
        if opcode == 0x12:
            self.write(handle, request[3:], WRITE)
            return b"\x13"
        return None

    def by_type(self, opcode, first, last, uuid):
        found = self.some(self.within(first, last, uuid))
        values = [(at, self.row(at).value or self.read(at)) for at in found]
        head = 2 if opcode == 0x08 else 4
        size = min(head + len(values[0][1]), self.mtu - 2)
        listed = b""
        for at, value in values:
            if head + len(value) != size or len(listed) + size > self.mtu - 2:
                break
            listed += short(at) + (short(self.row(at).end) if opcode == 0x10 else b"") + value
        return bytes([opcode + 1, size]) + listed

    def row(self, handle):
        if not 0 < handle <= len(self.rows):
            raise Refused(0x01)
        return self.rows[handle - 1]

    def within(self, first, last, uuid):
        return [at for at in range(max(first, 1), len(self.rows) + 1) if at <= last and self.row(at).uuid == uuid]

    def some(self, found):
        if not found:
            raise Refused(0x0A)
        return found

    def read(self, handle):
        row = self.row(handle)
        if row.name in ("", "CCCD"):
            if row.properties & INDICATE:
                raise Refused(0x02)
            return row.value
        if not row.properties & READ:
            raise Refused(0x02)
        return self.tag.read(row.name, self.mtu)

    def write(self, handle, value, by):
        row = self.row(handle)
        if not row.properties & by:
            raise Refused(0x03)
        if row.name == "CCCD":
            return
        self.tag.write(row.name, value, self.mtu)


if __name__ == "__main__":
    opened = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(opened)
    Host(opened).run()
