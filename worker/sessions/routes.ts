import { HEADER } from "../../core/api/index.ts";
import { credentialsIn } from "../auth/authenticate.ts";
import type { Routes } from "../http/route.ts";
import { guestLogin, identifiedLogin } from "./attestation-login.ts";
import { b2bLogin } from "./b2b-login.ts";
import { issueClientCertificate } from "./client-certificate.ts";
import { federatedLogin } from "./federated-login.ts";
import { logout } from "./logout.ts";
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
  logout: async (ctx, _input, http) => {
    const ended = await logout(ctx);
    // A kiosk keeps its set-up and its queue in storage; a passenger's device keeps nothing (rules §3).
    http.setHeader("Clear-Site-Data", ctx.principal.staff ? '"cache"' : '"cache", "storage"');
    return ended;
  },
  deviceClientCertificate: (ctx, input, { headers }) =>
    issueClientCertificate(ctx, input, credentialsIn(headers)?.token ?? ""),
} satisfies Partial<Routes>;
