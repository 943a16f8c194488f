import { describe, expect, test, vi } from "vitest";
import { EncodingError } from "../../core/encoding/bytes.ts";
import { neverCancelled } from "../abort.ts";
import type { Database } from "../database.ts";
import { ServiceError } from "../errors.ts";
import type { CertificateRecord } from "../storage.ts";
import { Certificate } from "./certificate.ts";
import { ServiceClock } from "./service-clock.ts";
import type { Api, Session } from "./session.ts";

const NOW = 1_000_000;
const DAY = 86_400_000;
const FIVE_MINUTES = 300_000;

const out = new ServiceError("network", "no answer");
out.afterLostAnswer = true;
const refused = new ServiceError("unauthorized_client", "no", { statusCode: 401 });

/** A certificate of ours with so much left (ms), and a service that answers so; `thumbprint` of the key that it is for. */
function kept(left: number, answer: () => Promise<{ certificateChain: string }>, thumbprint = "ours") {
  const chain = [Uint8Array.of(1)];
  const stored: CertificateRecord = { chain, notAfter: NOW + left, thumbprint };
  const call = vi.fn(answer);
  const privateKey = {} as CryptoKey;
  const certificate = new Certificate({
    api: { call } as unknown as Api,
    session: { grant: async () => ({ key: { thumbprint: "ours", privateKey } }) } as unknown as Session,
    database: { read: async () => stored } as unknown as Database,
    configuration: async () => ({ issuer: "", clientKey: "", clientRoots: [], tagRoots: [] }),
    clock: new ServiceClock(() => NOW),
  });
  return { certificate, call, credential: { chain, privateKey } };
}

const signal = neverCancelled();
const failing = (error: Error) => () => Promise.reject(error);

describe("a certificate that is kept", () => {
  test("is given with its key while more than a day is left", async () => {
    const { certificate, call, credential } = kept(DAY + 1, failing(refused));
    expect(await certificate.credential(signal)).toEqual(credential);
    expect(call).not.toHaveBeenCalled();
  });

  test("is renewed where a day is left, or where it is for another key", async () => {
    await expect(kept(DAY, failing(refused)).certificate.credential(signal)).rejects.toBe(refused);
    await expect(kept(2 * DAY, failing(refused), "another").certificate.credential(signal)).rejects.toBe(
      refused,
    );
  });

  test("serves on where the service is out of reach, while more than five minutes are left", async () => {
    const { certificate, credential } = kept(FIVE_MINUTES + 1, failing(out));
    expect(await certificate.credential(signal)).toEqual(credential);
    await expect(kept(FIVE_MINUTES, failing(out)).certificate.credential(signal)).rejects.toBe(out);
    await expect(kept(FIVE_MINUTES + 1, failing(out), "another").certificate.credential(signal)).rejects.toBe(
      out,
    );
  });

  test("does not hide what is no failure of the way", async () => {
    const foreign = Object.assign(new TypeError("any"), { afterLostAnswer: true });
    await expect(kept(DAY, failing(foreign)).certificate.credential(signal)).rejects.toBe(foreign);
  });

  test("is asked for again after it could not be had", async () => {
    const { certificate, call } = kept(0, failing(refused));
    await certificate.credential(signal).catch(() => undefined);
    await certificate.credential(signal).catch(() => undefined);
    expect(call).toHaveBeenCalledTimes(2);
  });
});

test("what is not base64 is no certificate, and the reason is reported", async () => {
  const { certificate } = kept(0, async () => ({ certificateChain: "!" }));
  const error = await certificate.credential(signal).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "invalid_answer", cause: expect.any(EncodingError) });
});
