import { createAccount, disableAccount, enableAccount } from "./accounts.ts";
import { archiveAuditLog, verifyAuditLog } from "./audit.ts";
import { createIntermediateCa, createRootCa } from "./authority.ts";
import { createClient, disableClient, enableClient, listClients, setFlags } from "./clients.ts";
import type { Command } from "./command.ts";
import { resetDemo } from "./demo.ts";
import { importDevices } from "./devices.ts";
import { addIssuer, disableIssuer } from "./issuers.ts";
import { makeBatch, makeTag, makeTagCa } from "./maker.ts";
import { setPlates } from "./plates.ts";
import { verifyReport } from "./report.ts";
import { resealData } from "./reseal.ts";
import { endSessions, revokeKey } from "./revocation.ts";
import { rotateKeys } from "./rotate.ts";
import { makeSecrets } from "./secrets.ts";
import { addStaff, disableStaff, forgetStaff, listStaff } from "./staff.ts";

/** Everything an operator can do, in the order in which a deployment needs it. */
export const COMMANDS: readonly Command[] = [
  createRootCa,
  createIntermediateCa,
  makeSecrets,
  rotateKeys,
  createClient,
  listClients,
  setFlags,
  enableClient,
  disableClient,
  createAccount,
  enableAccount,
  disableAccount,
  addStaff,
  listStaff,
  disableStaff,
  forgetStaff,
  addIssuer,
  disableIssuer,
  setPlates,
  makeTagCa,
  makeTag,
  makeBatch,
  importDevices,
  verifyReport,
  revokeKey,
  endSessions,
  resealData,
  verifyAuditLog,
  archiveAuditLog,
  resetDemo,
];
