import { createAccount, disableAccount, enableAccount } from "./accounts.ts";
import { archiveAuditLog, verifyAuditLog } from "./audit.ts";
import { createIntermediateCa, createRootCa } from "./authority.ts";
import { eraseBooking, showBooking } from "./bookings.ts";
import {
  createClient,
  disableClient,
  enableClient,
  listClients,
  setClient,
  setFlags,
  showClient,
} from "./clients.ts";
import type { Command } from "./command.ts";
import { resetDemo } from "./demo.ts";
import { importDevices } from "./devices.ts";
import { doctor } from "./doctor.ts";
import { addIssuer, disableIssuer } from "./issuers.ts";
import { listAccounts, listDevices, listIssuers, listPlates } from "./lists.ts";
import { makeBatch, makeTag, makeTagCa } from "./maker.ts";
import { setPlates } from "./plates.ts";
import { verifyReport } from "./report.ts";
import { resealData } from "./reseal.ts";
import { restoreDrill } from "./restore-drill.ts";
import { endSessions, revokeKey } from "./revocation.ts";
import { rotateKeys } from "./rotate.ts";
import { makePushKey, makeSecrets, replaceIntermediate } from "./secrets.ts";
import { smoke } from "./smoke.ts";
import { addStaff, disableStaff, forgetStaff, listStaff } from "./staff.ts";
import { releaseTag, showTag } from "./tags.ts";
import {
  addWebhook,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  showWebhook,
} from "./webhooks.ts";

/** Everything an operator can do, in the order in which a deployment needs it. */
export const COMMANDS: readonly Command[] = [
  createRootCa,
  createIntermediateCa,
  makeSecrets,
  rotateKeys,
  replaceIntermediate,
  makePushKey,
  createClient,
  listClients,
  showClient,
  setClient,
  setFlags,
  enableClient,
  disableClient,
  createAccount,
  listAccounts,
  enableAccount,
  disableAccount,
  addStaff,
  listStaff,
  disableStaff,
  forgetStaff,
  addIssuer,
  listIssuers,
  disableIssuer,
  setPlates,
  listPlates,
  makeTagCa,
  makeTag,
  makeBatch,
  importDevices,
  listDevices,
  showTag,
  releaseTag,
  showBooking,
  eraseBooking,
  addWebhook,
  listWebhooks,
  showWebhook,
  rotateWebhook,
  replayWebhook,
  removeWebhook,
  verifyReport,
  revokeKey,
  endSessions,
  resealData,
  verifyAuditLog,
  archiveAuditLog,
  doctor,
  smoke,
  restoreDrill,
  resetDemo,
];
