/** The SDK's one entrance, for our own page and for others: what is not exported here is internal. */

export type { Bytes } from "../core/encoding/bytes.ts";
export type { GattVersion, StatusName } from "../core/gatt/profile.ts";
export { tagName } from "../core/gatt/tag-name.ts";
export { orCancelled, sleep, within } from "./abort.ts";
// For hosts that bring their own radio, or talk to a tag without the SDK's flows.
export type * from "./api.ts";
export { createTaglatch, createTagTools, type TagTools } from "./client.ts";
export * from "./errors.ts";
export { mayUnlock } from "./flows/may-unlock.ts";
export type { RecordedHandshake } from "./flows/recorded-handshake.ts";
// For service workers.
export { flushOutbox, type OutboxOwner } from "./flush-outbox.ts";
export type * from "./records.ts";
export type { KnownPasskey, NewPasskey, PasskeyAnswer, Passkeys, RelyingParty } from "./service/passkeys.ts";
export { AirlineRequiredError, BagRefusedError } from "./service/service-answers.ts";
export type { TaglatchStorage } from "./storage.ts";
export { type KeyValueStore, type StorageOverOptions, storageOver } from "./storage-over.ts";
export { connectionOver, type PlatformConnection } from "./tag/connection-over.ts";
export type { CharacteristicProperties, TagConnection, TagLink, TagRadio } from "./tag/link.ts";
export { TAG_PROFILE } from "./tag/link.ts";
export { linkOver, type PlatformDevice } from "./tag/link-over.ts";
export { type RadioAbilities, radioAbilities } from "./tag/radio-abilities.ts";
export * from "./types.ts";
