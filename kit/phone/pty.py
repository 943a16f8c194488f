"""A pair of pseudo-terminals: says the name of one on standard error, and joins the other to standard input and output."""
import os
import select
import sys
import tty

master, slave = os.openpty()
tty.setraw(slave)
sys.stderr.write(f"{os.ttyname(slave)}\n")
sys.stderr.flush()
while True:
    ready, _, _ = select.select([0, master], [], [])
    for source, target in ((0, master), (master, 1)):
        if source not in ready:
            continue
        data = os.read(source, 4096)
        if not data:
            sys.exit(0)
        while data:
            data = data[os.write(target, data) :]
