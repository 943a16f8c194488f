"""Opens a Bluetooth adapter or a serial line, and passes HCI between it and standard input and output, as H4.

    hci_bridge.py hci0                the kernel's socket, past the system's Bluetooth service (needs CAP_NET_ADMIN)
    hci_bridge.py /dev/ttyACM0 115200 a controller that speaks H4 on a serial line

Says "open" on standard error once it is, and ends with standard input. Its exit status says what was in the way;
tag/radio/open-radio.ts has the names. Only the standard library, so that nothing has to be built.
"""
import ctypes
import errno
import fcntl
import os
import re
import select
import socket
import sys
import termios
import tty

NO_BLUETOOTH, NO_ADAPTER, IN_USE, NO_PERMISSION, FAILED = 10, 11, 12, 13, 14
STATUS_OF = {
    errno.EAFNOSUPPORT: NO_BLUETOOTH,
    errno.EPROTONOSUPPORT: NO_BLUETOOTH,
    errno.ENODEV: NO_ADAPTER,
    errno.ENOENT: NO_ADAPTER,
    errno.ENXIO: NO_ADAPTER,
    errno.EBUSY: IN_USE,
    errno.EPERM: NO_PERMISSION,
    errno.EACCES: NO_PERMISSION,
}

# Python may have been built without these names.
AF_BLUETOOTH, BTPROTO_HCI, HCI_CHANNEL_USER = 31, 1, 1

# Bytes of each packet type's header, and where in it the length is, in how many bytes.
HEADER = {1: (3, 2, 1), 2: (4, 2, 2), 3: (3, 2, 1), 4: (2, 1, 1), 5: (4, 2, 2)}


def open_adapter(number):
    """The kernel's socket of adapter `number`, opened for exclusive use."""
    sock = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI)
    address = b"".join(value.to_bytes(2, sys.byteorder) for value in (AF_BLUETOOTH, number, HCI_CHANNEL_USER))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.bind(sock.fileno(), address, len(address)) != 0:
        raise OSError(ctypes.get_errno(), "bind")
    return sock.detach()


def open_line(path, baud):
    """A serial line of our own, raw: no echo, no translation, eight bits."""
    line = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(line, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OSError(errno.EBUSY, "locked") from error
    tty.setraw(line)
    speed = getattr(termios, f"B{baud}", None)
    if speed is None:
        raise OSError(errno.EINVAL, f"no speed {baud}")
    settings = termios.tcgetattr(line)
    settings[4] = settings[5] = speed
    termios.tcsetattr(line, termios.TCSANOW, settings)
    return line


def packets(pending):
    """The whole packets at the head of `pending`, and what is left: the kernel takes one at a time."""
    whole = []
    while pending and pending[0] in HEADER:
        size, at, width = HEADER[pending[0]]
        if len(pending) < 1 + size:
            break
        length = int.from_bytes(pending[1 + at : 1 + at + width], "little")
        end = 1 + size + length
        if len(pending) < end:
            break
        whole.append(pending[:end])
        pending = pending[end:]
    return whole, pending


def write_all(target, data):
    while data:
        data = data[os.write(target, data) :]


def bridge(device, is_adapter):
    pending = b""
    while True:
        ready, _, _ = select.select([0, device], [], [])
        if device in ready:
            data = os.read(device, 4096)
            if not data:
                return
            write_all(1, data)
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                return
            if is_adapter:
                whole, pending = packets(pending + data)
                for packet in whole:
                    os.write(device, packet)
            else:
                write_all(device, data)


def main():
    name = sys.argv[1]
    adapter = re.fullmatch(r"hci(\d+)", name)
    try:
        device = open_adapter(int(adapter[1])) if adapter else open_line(name, int(sys.argv[2]))
    except OSError as error:
        return STATUS_OF.get(error.errno, FAILED)
    sys.stderr.write("open\n")
    sys.stderr.flush()
    try:
        bridge(device, adapter is not None)
    except (OSError, KeyboardInterrupt):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
