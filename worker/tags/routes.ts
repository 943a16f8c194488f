import { oneTrip, type Routes } from "../http/route.ts";
import { attach } from "./attachment.ts";
import { authorize } from "./authorization.ts";
import { proveCustody } from "./custody-proof.ts";
import { lookUp, readLockFor } from "./lookup.ts";
import { markLoss } from "./loss.ts";
import { releaseLock, unlock } from "./unlock.ts";

/** Endpoints 8–12, and the additions for staff and holders. */
export const tagRoutes = {
  ebtAuthorization: authorize,
  deviceAttachment: attach,
  ebtLookup: oneTrip("ebtLookup", {
    reads: (ctx, sub, input) => ({ locks: readLockFor(ctx, sub, input) }),
    answer: (ctx, { locks }) => lookUp(ctx, locks),
  }),
  ebtCustodyProof: proveCustody,
  ebtUnlock: unlock,
  lockRelease: releaseLock,
  deviceLoss: markLoss,
} satisfies Partial<Routes>;
