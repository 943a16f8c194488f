/**
 * What a tag is called, wherever people read of it: `EBT-` and the last four characters of its device id, which is also
 * what it advertises (docs/protocol.md, GATT profile). Two tags may share a name; only the id tells them apart.
 */
export const tagName = (uniqueDeviceId: string): string => `EBT-${uniqueDeviceId.slice(-4)}`;
