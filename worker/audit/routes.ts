import type { Routes } from "../http/route.ts";
import { listAuditEvents } from "./events.ts";
import { followEvents } from "./feed.ts";

/** The audit log, for ground staff: backwards, and forwards. */
export const auditRoutes = { auditEvents: listAuditEvents, events: followEvents } satisfies Partial<Routes>;
