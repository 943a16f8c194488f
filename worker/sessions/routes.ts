import { eq } from "drizzle-orm";
import { HEADER } from "../../core/api/index.ts";
import { sessions } from "../../db/schema.ts";
import { credentialsIn } from "../auth/authenticate.ts";
import { inBatch } from "../database/batch.ts";
import type { Routes } from "../http/route.ts";
import { guestLogin, identifiedLogin } from "./attestation-login.ts";
import { b2bLogin } from "./b2b-login.ts";
import { issueClientCertificate } from "./client-certificate.ts";
import { federatedLogin } from "./federated-login.ts";
import { issueNonce } from "./nonces.ts";
import { refreshSession } from "./refresh.ts";

/** Endpoints 1–7 and logout. */
export const sessionRoutes = {
  federatedSession: federatedLogin,
  nonce: issueNonce,
  attestationSession: identifiedLogin,
  guestSession: guestLogin,
  b2bSession: (ctx, input, { headers }) => b2bLogin(ctx, input, headers.get(HEADER.b2bSecret) ?? ""),
  refresh: refreshSession,
  /** Ends the caller's session: its access tokens and its refresh tokens. */
  logout: async ({ db, now, principal }, _input, http) => {
    const ended = db.update(sessions).set({ revokedAt: now }).where(eq(sessions.id, principal.sessionId));
    await inBatch(db, { ended });
    // A kiosk keeps its set-up and its queue in storage; a passenger's device keeps nothing (rules §3).
    http.setHeader("Clear-Site-Data", principal.staff ? '"cache"' : '"cache", "storage"');
    return { loggedOut: true };
  },
  deviceClientCertificate: (ctx, input, { headers }) =>
    issueClientCertificate(ctx, input, credentialsIn(headers)?.token ?? ""),
} satisfies Partial<Routes>;
