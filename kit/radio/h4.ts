/**
 * HCI packets over a byte stream, each behind one byte that says its type (Bluetooth Core 6.0, Vol 4, Part A).
 * Knows neither GATT nor tags.
 */

export const PACKET = { COMMAND: 0x01, ACL: 0x02, SYNC: 0x03, EVENT: 0x04, ISO: 0x05 } as const;

/** Bytes of each type's header behind the type, and the length of what follows it. */
const HEADER: Readonly<Record<number, { readonly size: number; length(header: Buffer): number }>> = {
  [PACKET.COMMAND]: { size: 3, length: (header) => header.readUInt8(2) },
  [PACKET.ACL]: { size: 4, length: (header) => header.readUInt16LE(2) },
  [PACKET.SYNC]: { size: 3, length: (header) => header.readUInt8(2) },
  [PACKET.EVENT]: { size: 2, length: (header) => header.readUInt8(1) },
  [PACKET.ISO]: { size: 4, length: (header) => header.readUInt16LE(2) & 0x3fff },
};

/** A byte that begins no packet: the stream cannot be followed any further. */
export class OutOfStep extends Error {
  override readonly name = "OutOfStep";
}

/** Cuts a byte stream into packets, however the bytes come. Throws {@link OutOfStep}. */
export class PacketCutter {
  #rest = Buffer.alloc(0);

  /** The packets, type byte included, that `chunk` completes. */
  push(chunk: Uint8Array): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const packets: Buffer[] = [];
    for (let packet = this.#next(); packet !== undefined; packet = this.#next()) packets.push(packet);
    return packets;
  }

  #next(): Buffer | undefined {
    const type = this.#rest[0];
    if (type === undefined) return undefined;
    const header = HEADER[type];
    if (header === undefined) throw new OutOfStep(`no packet begins with ${type}`);
    if (this.#rest.length < 1 + header.size) return undefined;
    const end = 1 + header.size + header.length(this.#rest.subarray(1, 1 + header.size));
    if (this.#rest.length < end) return undefined;
    // A copy: the host stack keeps slices of what it is given.
    const packet = Buffer.from(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(end);
    return packet;
  }
}
