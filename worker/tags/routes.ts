import { keyed, said } from "../guards/idempotent-route.ts";
import type { OneTripRoute, Routes } from "../http/route.ts";
import { attach } from "./attachment.ts";
import { authorize } from "./authorization.ts";
import { proveCustody } from "./custody-proof.ts";
import { lookUp, readLockFor } from "./lookup.ts";
import { markLoss } from "./loss.ts";
import { releaseLock } from "./release.ts";
import { unlock } from "./unlock.ts";

const ebtLookup: OneTripRoute<"ebtLookup"> = {
  reads: (ctx, sub, input) => [readLockFor(ctx, sub, input)],
  answer: (ctx, _input, [locks]) => lookUp(ctx, locks as Parameters<typeof lookUp>[1]),
};

/** Endpoints 8–12, and what staff and holders may do beside them. */
export const tagRoutes = {
  ebtAuthorization: authorize,
  deviceAttachment: async (ctx, input, http) =>
    said(await attach(ctx, input, await keyed("deviceAttachment", http)), http),
  ebtLookup,
  ebtCustodyProof: async (ctx, input, http) =>
    said(await proveCustody(ctx, input, await keyed("ebtCustodyProof", http)), http),
  ebtUnlock: async (ctx, input, http) => said(await unlock(ctx, input, await keyed("ebtUnlock", http)), http),
  lockRelease: releaseLock,
  deviceLoss: markLoss,
} satisfies Partial<Routes>;
