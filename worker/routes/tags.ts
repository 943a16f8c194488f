import type { OneTripRoute, Routes } from "../route.ts";
import { attach } from "../services/attachment.ts";
import { authorize } from "../services/authorization.ts";
import { proveCustody } from "../services/custody-proof.ts";
import { markLoss } from "../services/device-loss.ts";
import { releaseLock } from "../services/lock-release.ts";
import { lookUp, readLockFor } from "../services/lookup.ts";
import { unlock } from "../services/unlock.ts";
import { keyed, said } from "./idempotent.ts";

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
