import type { Routes } from "../http/route.ts";
import { reportFound } from "../tracing/found-report.ts";
import { changeTrace, traceBag } from "../tracing/trace.ts";
import { listTraced, openLocation } from "../tracing/traced-bags.ts";
import { attach } from "./attach.ts";
import { authorize } from "./authorize.ts";
import { proveCustody } from "./custody-proof.ts";
import { lookUp } from "./lookup.ts";
import { markLoss } from "./loss.ts";
import { releaseLock } from "./release.ts";
import { unlock } from "./unlock.ts";

/** Endpoints 8–12, and the additions for staff and holders. */
export const tagRoutes = {
  ebtAuthorization: authorize,
  deviceAttachment: attach,
  ebtLookup: lookUp,
  ebtCustodyProof: proveCustody,
  ebtUnlock: unlock,
  lockRelease: releaseLock,
  deviceLoss: markLoss,
  foundReport: reportFound,
  bagTrace: traceBag,
  bagTraceChange: changeTrace,
  tracedBags: listTraced,
  locationLink: openLocation,
} satisfies Partial<Routes>;
