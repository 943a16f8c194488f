/**
 * The evidence of one login by passkey (rules §3): registers a new passkey, or uses a known one. Loaded only
 * for such a login.
 */
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import type { PasskeyRequest } from "../api.ts";
import type { TaglatchStorage } from "../storage.ts";
import type { AttestationChallenge, AttestationEvidence } from "../types.ts";
import { type Passkeys, platformPasskeys } from "./passkeys.ts";

/** Bytes of a user handle: random, so that it reveals nothing of the person. */
const USER_ID_LENGTH = 32;

export interface PasskeyEvidence {
  /** Asks the person, once for each nonce. */
  make(challenge: AttestationChallenge): Promise<AttestationEvidence>;
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
    async make({ digest }) {
      const challenge = fromBase64Url(digest);
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
