/**
 * A tag's name, wherever people read it: `EBT-` and the last four characters of its device id. The tag
 * advertises the same name (docs/protocol.md, GATT profile). Two tags may share a name; only the id distinguishes
 * them apart.
 */
export const tagName = (uniqueDeviceId: string): string => `EBT-${uniqueDeviceId.slice(-4)}`;
