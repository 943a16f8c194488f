import type { EbtConfiguration } from "../../core/api/index.ts";
import { LOCALES } from "../../core/api/locales.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { toPem } from "../../core/pki/pem.ts";
import type { Settings } from "../config/env.ts";
import { trustedTagRootIds, trustedTagRoots } from "../devices/identity.ts";

/** The configuration that a page loads first (rules §8). */
export function configuration(settings: Settings): EbtConfiguration {
  const { environment, issuer, pageClientKeys, ca, transactionTokenKeys, limits } = settings;
  const tagRootIds = trustedTagRootIds(settings);
  return {
    issuer,
    environment,
    clientKeys: pageClientKeys,
    clientRoots: [toPem(ca.root)],
    tagRoots: trustedTagRoots(settings).map(toPem),
    ...(tagRootIds && { tagRootIds: tagRootIds.map((list) => [...list]) }),
    tokenKeys: { keys: [...transactionTokenKeys.published] },
    gatt: uuids(),
    locales: [...LOCALES],
    handOverOrigins: [...settings.handOverOrigins],
    ...(settings.theme === undefined ? {} : { theme: settings.theme }),
    ...(settings.kiosks.length === 0 ? {} : { kiosks: [...settings.kiosks] }),
    ...(settings.iosBrowser === undefined ? {} : { iosBrowser: settings.iosBrowser }),
    ...(settings.iosApp === undefined ? {} : { iosApp: settings.iosApp }),
    ...(settings.push === undefined ? {} : { pushKey: settings.push.publicKey }),
    ...(settings.outcomes === undefined ? {} : { outcomes: settings.outcomes }),
    limits: {
      maxCustodyProofAttempts: limits.maxCustodyProofAttempts,
      transactionTokenSeconds: limits.transactionTokenSeconds,
      certificateRenewSeconds: limits.certificateRenewSeconds,
      maxBagsPerJourney: limits.maxBagsPerJourney,
    },
  };
}

/** The tag service and its characteristics by name. */
function uuids(): Record<string, string> {
  const characteristics = Object.entries(PROFILE.characteristics).map(([name, { uuid }]) => [name, uuid]);
  return { service: PROFILE.service, ...Object.fromEntries(characteristics) };
}
