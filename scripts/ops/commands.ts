import { archiveAuditLog, verifyAuditLog } from "./audit.ts";
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
import { importDevices, listDevices } from "./devices.ts";
import { doctor } from "./doctor.ts";
import { restoreDrill, smoke } from "./drills.ts";
import { addIssuer, disableIssuer, listIssuers } from "./issuers.ts";
import {
  createIntermediateCa,
  createRootCa,
  makePushKey,
  makeSecrets,
  replaceIntermediate,
  rotateKeys,
} from "./keys.ts";
import { makeBatch, makeTag, makeTagCa } from "./maker.ts";
import { listPlates, setPlates } from "./plates.ts";
import { verifyReport } from "./report.ts";
import { resealData } from "./reseal.ts";
import { endSessions, revokeKey } from "./revocation.ts";
import {
  addStaff,
  createAccount,
  disableAccount,
  disableStaff,
  enableAccount,
  forgetStaff,
  listAccounts,
  listStaff,
} from "./staff.ts";
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
