/** The rows of core/vectors/sec-refusals.json that need a whole tag or a link. */
import type { GattVersion, TagState } from "../../core/gatt/profile.ts";
import file from "../../core/vectors/sec-refusals.json" with { type: "json" };

interface Row {
  readonly name: string;
  readonly pitfall: number;
  /** The code inside the tag; the ending says what of it leaves the tag. Null: accepted. */
  readonly code: string | null;
  /** Longest value, in bytes, that the stack lets through. */
  readonly truncate?: number;
}

export type TagAct =
  | "record_without_keys"
  | "record_behind_message_3"
  | "data_before_token"
  | "message_3_again"
  | "message_3_twice"
  | "message_3_next_connection"
  | "truncated"
  | "flood"
  | "message_1_cut"
  | "message_3_flipped"
  | "credential";

/** What leaves the tag. */
export type Ending = "alert" | "edhoc_error" | "record" | "silence" | "status" | "message_2";

/** A tag in `state` that meets `act`. */
export interface TagRow extends Row {
  readonly at: "tag";
  readonly act: TagAct;
  readonly state: TagState;
  readonly ending: Ending;
  readonly path?: GattVersion;
  readonly record?: "token" | "data" | "commit";
  readonly message?: "message_1" | "message_3" | "data" | "payload";
  readonly credential?: CredentialName;
  readonly count?: number;
  /** Milliseconds. */
  readonly pause?: number;
}

export type CredentialName =
  | "foreign_root"
  | "endpoint_7_order"
  | "no_intermediate"
  | "other_key"
  | "tag"
  | "for_tags";

export type LinkAct =
  | "ephemeral_key_again"
  | "make_message_3_twice"
  | "read_after_fall"
  | "read_after_reconnect"
  | "write_after_reconnect"
  | "discover_after_reconnect"
  | "read_while_reading"
  | "write_while_reading"
  | "message_2_truncated";

/** What the client's end refuses, and the state of the tag after that. */
export interface LinkRow extends Row {
  readonly at: "link";
  readonly act: LinkAct;
  readonly left: TagState;
}

// JSON has no unions: the drivers' tables find an act, an ending or a credential that does not exist.
const cases = file.cases as readonly unknown[] as readonly (TagRow | LinkRow | { readonly at: "" })[];

export const TAG_ROWS = cases.filter((row) => row.at === "tag");
export const LINK_ROWS = cases.filter((row) => row.at === "link");
