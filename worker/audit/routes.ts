import type { Routes } from "../http/route.ts";
import { listAuditEvents } from "./events.ts";

/** The audit log, for ground staff. */
export const auditRoutes = { auditEvents: listAuditEvents } satisfies Partial<Routes>;
