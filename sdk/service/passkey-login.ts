/**
 * The evidence of one login by passkey (rules §3): registers a new passkey, or uses a known one. Loaded only
 * for such a login.
 */
import { type Bytes, concat, copyBytes, fromBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import type { PasskeyRequest } from "../api.ts";
import type { TaglatchStorage } from "../storage.ts";
import type { AttestationEvidence } from "../types.ts";
import type { Challenge } from "./logins.ts";
import { type Passkeys, platformPasskeys } from "./passkeys.ts";

/** Bytes of a user handle: random, so that it reveals nothing of the person. */
const USER_ID_LENGTH = 32;

export interface PasskeyEvidence {
  /** Asks the person, once for each nonce. */
  make(challenge: Challenge): Promise<AttestationEvidence>;
  /** Keeps the passkey for the next login, once the service has taken it. */
  remember(): Promise<void>;
}

/** `passkeys`: by default the platform's. */
export async function passkeyEvidence(
  request: PasskeyRequest,
  database: TaglatchStorage,
  signal: AbortSignal,
  passkeys: Passkeys = platformPasskeys(),
): Promise<PasskeyEvidence> {
  const { email, passkey: choice = "remembered", relyingParty = {} } = request;
  const remembered = choice === "remembered" ? await database.read("passkey") : undefined;
  const isNew = choice === "new" || (choice === "remembered" && remembered === undefined);
  // One for all tries: if a nonce was refused, the next passkey replaces the one made for it.
  const userId = crypto.getRandomValues(new Uint8Array(USER_ID_LENGTH));
  let id: string | undefined;
  return {
    async make(occasion) {
      const challenge = await challengeOf(occasion);
      const answer = isNew
        ? await passkeys.create({ challenge, userId, userName: email, relyingParty }, signal)
        : await passkeys.use({ challenge, id: remembered?.id, relyingParty }, signal);
      id = answer.id;
      return { fmt: "webauthn", [isNew ? "registration" : "assertion"]: answer };
    },
    async remember() {
      if (id !== undefined) await database.write("passkey", { id });
    },
  };
}

/** SHA-256 of the nonce's UTF-8 and the raw thumbprint. */
async function challengeOf({ nonce, thumbprint }: Challenge): Promise<Bytes> {
  const bytes = concat(utf8(nonce), fromBase64Url(thumbprint));
  return copyBytes(await crypto.subtle.digest("SHA-256", bytes));
}
