import { expect, it } from "vitest";
import vector from "../../../core/vectors/play-integrity.json" with { type: "json" };
import { checkVerdict, type VerdictCheck } from "./play-integrity-verdict.ts";

type Changes = Partial<VerdictCheck["policy"]>;

/** The policy of the app that `verdict` is about, a second after Google's answer. */
function checkOf(verdict: typeof vector.recorded | typeof vector.documented, changes: Changes = {}) {
  const { requestDetails: request, appIntegrity: app } = verdict;
  const check: VerdictCheck = {
    policy: {
      packageName: app.packageName,
      decryptionKeySealed: "",
      verificationKey: "",
      certificateSha256Digests: app.certificateSha256Digest,
      minVersionCode: Number(app.versionCode),
      appVerdicts: [app.appRecognitionVerdict],
      deviceVerdicts: ["MEETS_DEVICE_INTEGRITY"],
      licensingVerdicts: undefined,
      maxAgeSeconds: 300,
      ...changes,
    },
    challenge: "nonce" in request ? request.nonce : request.requestHash,
    now: Number(request.timestampMillis) + 1_000,
  };
  return check;
}

const refusalOf = (reason: string) =>
  expect.objectContaining({ code: "invalid_attestation", detail: expect.objectContaining({ reason }) });

it.each(["recorded", "documented"] as const)("a %s verdict of Google is accepted for its request", (name) => {
  checkVerdict(vector[name], checkOf(vector[name]));
});

const { recorded } = vector;
const { requestDetails, appIntegrity, deviceIntegrity } = recorded;
const ASKED_AT = Number(requestDetails.timestampMillis);
/** The recorded verdict with other members in these parts. */
const request = (members: object) => ({ ...recorded, requestDetails: { ...requestDetails, ...members } });
const app = (members: object) => ({ ...recorded, appIntegrity: { ...appIntegrity, ...members } });
const device = (...deviceRecognitionVerdict: string[]) => ({
  ...recorded,
  deviceIntegrity: { ...deviceIntegrity, deviceRecognitionVerdict },
});

it.each<[string, unknown]>([
  ["whose nonce is padded", request({ nonce: `${requestDetails.nonce}=` })],
  ["with numbers where text is usual", request({ timestampMillis: ASKED_AT })],
  ["of a version that is a number", app({ versionCode: 4 })],
  ["of a newer version, with a member of later days", app({ versionCode: "5", futureVerdict: "X" })],
  ["of a better device than asked for", device("MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY")],
])("a verdict %s is accepted", (_, verdict) => {
  checkVerdict(verdict, checkOf(recorded));
});

it.each<[string, string, unknown]>([
  ["about another nonce", "play_binding", request({ nonce: "A".repeat(43) })],
  ["about no request", "play_binding", request({ nonce: undefined })],
  ["about two requests", "play_binding", request({ requestHash: requestDetails.nonce })],
  ["asked for long ago", "play_stale", request({ timestampMillis: ASKED_AT - 300_000 })],
  ["asked for tomorrow", "play_from_the_future", request({ timestampMillis: ASKED_AT + 62_000 })],
  ["asked for at no time", "play_verdict_malformed", request({ timestampMillis: "soon" })],
  ["with a time before all times", "play_verdict_malformed", request({ timestampMillis: -1 })],
  ["asked for by another app", "play_package", request({ requestPackageName: "example.evil" })],
  ["about another app", "play_package", app({ packageName: "example.evil" })],
  ["about no app", "play_package", app({ packageName: undefined })],
  ["about an app that was evaluated otherwise", "play_app_verdict", app({ appRecognitionVerdict: "OTHER" })],
  ["that evaluates no app", "play_verdict_malformed", app({ appRecognitionVerdict: undefined })],
  ["of another certificate", "play_certificate", app({ certificateSha256Digest: ["B".repeat(43)] })],
  [
    "of another certificate, too",
    "play_certificate",
    app({ certificateSha256Digest: [...appIntegrity.certificateSha256Digest, "B".repeat(43)] }),
  ],
  ["of an app without a certificate", "play_certificate", app({ certificateSha256Digest: [] })],
  ["about an old version", "play_version", app({ versionCode: "3" })],
  ["about no version", "play_version", app({ versionCode: undefined })],
  ["with a version of letters", "play_verdict_malformed", app({ versionCode: "4a" })],
  ["about a device that keeps no promise", "play_device_verdict", device()],
  ["about a virtual device", "play_device_verdict", device("MEETS_VIRTUAL_INTEGRITY")],
  ["about no device", "play_device_verdict", { ...recorded, deviceIntegrity: {} }],
  ["of a tester", "play_testing_response", { ...recorded, testingDetails: { isTestingResponse: true } }],
  ["that is a list", "play_verdict_malformed", []],
])("a verdict %s is refused", (_, reason, verdict) => {
  expect(() => checkVerdict(verdict, checkOf(recorded))).toThrow(refusalOf(reason));
});

it.each<[string, string, Partial<VerdictCheck>, Changes]>([
  ["by a policy that wants an app of Play", "play_app_verdict", {}, { appVerdicts: ["PLAY_RECOGNIZED"] }],
  ["by a policy that wants a licence", "play_licensing_verdict", {}, { licensingVerdicts: ["LICENSED"] }],
  ["for another request", "play_binding", { challenge: "A".repeat(32) }, {}],
  ["six minutes later", "play_stale", { now: ASKED_AT + 360_000 }, {}],
])("a real phone's verdict is refused %s", (_when, reason, check, changes) => {
  const refused = () => checkVerdict(recorded, { ...checkOf(recorded, changes), ...check });
  expect(refused).toThrow(refusalOf(reason));
});
