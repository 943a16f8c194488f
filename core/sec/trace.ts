import type { Bytes } from "../encoding/bytes.ts";

/** Values of a handshake in the order they come about, named as transcripts name them. */
export type TraceName =
  | "X_priv"
  | "message_1"
  | "TH_1"
  | "Y_priv"
  | "G_Y"
  | "G_XY"
  | "TH_2"
  | "PRK_2e"
  | "PRK_3e2m"
  | "MAC_2"
  | "Signature_or_MAC_2"
  | "PLAINTEXT_2"
  | "message_2"
  | "TH_3"
  | "PRK_4e3m"
  | "MAC_3"
  | "Signature_or_MAC_3"
  | "PLAINTEXT_3"
  | "CIPHERTEXT_3"
  | "message_3"
  | "TH_4"
  | "message_4"
  | "PRK_out"
  | "PRK_exporter";

/**
 * Receives copies of every intermediate value, secrets included: for transcripts of virtual tags and for the
 * verification of traces. Never given in an ordinary session.
 */
export type Trace = (name: TraceName, value: Bytes) => void;
