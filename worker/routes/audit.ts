import type { Routes } from "../route.ts";
import { listAuditEvents } from "../services/audit-events.ts";

/** The audit log, for ground staff. */
export const auditRoutes = { auditEvents: listAuditEvents } satisfies Partial<Routes>;
