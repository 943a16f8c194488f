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

it.each(["recorded", "documented"] as const)("a %s verdict of Google is accepted for its request", (name) => {
  checkVerdict(vector[name], checkOf(vector[name]));
});

const { recorded } = vector;
it.each<[string, string, Partial<VerdictCheck>, Changes, object?]>([
  ["by a policy that wants an app of Play", "play_app_verdict", {}, { appVerdicts: ["PLAY_RECOGNIZED"] }],
  ["by a policy that wants a licence", "play_licensing_verdict", {}, { licensingVerdicts: ["LICENSED"] }],
  ["for another request", "play_binding", { challenge: "A".repeat(32) }, {}],
  ["six minutes later", "play_stale", { now: Number(recorded.requestDetails.timestampMillis) + 360_000 }, {}],
  [
    "where the Play Console chose the verdict for a tester",
    "play_testing_response",
    {},
    {},
    { testingDetails: { isTestingResponse: true } },
  ],
])("a real phone's verdict is refused %s", (_when, reason, check, changes, more = {}) => {
  const refused = () => checkVerdict({ ...recorded, ...more }, { ...checkOf(recorded, changes), ...check });
  expect(refused).toThrow(
    expect.objectContaining({ code: "invalid_attestation", detail: expect.objectContaining({ reason }) }),
  );
});
