import type { EbtConfiguration } from "../../core/api/index.ts";
import { fromBase64 } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { issueTagLeaf } from "../../core/pki/issue.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { realTimeWorld } from "../../sim/real-time-world.ts";
import { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagConfig, TagCredential, TagWorld } from "../../sim/tag/tag-types.ts";
import { importSignKey } from "../../worker/config/keys.ts";
import { projectText } from "../project-files.ts";
import { generateKeys, systemRandom } from "../serve/keys.ts";

const demo = (name: string) => JSON.parse(projectText(`db/demo/${name}`));

let made = 0;

/** A blank tag without a lock, that trusts the service at `url`; its certificate is of the demo tag CA. */
export async function newTag(
  url: string,
  generation: GattVersion,
  options: Partial<TagConfig> = {},
  world: TagWorld = realTimeWorld(),
): Promise<TagSimulator> {
  const answer = await fetch(`${url}/.well-known/ebt-configuration`);
  const { clientRoots, tokenKeys } = (await answer.json()) as EbtConfiguration;
  made += 1;
  const id = `ebt-${generation.replace(".", "")}-${process.pid.toString(36)}-${made.toString().padStart(4, "0")}`;
  const config: TagConfig = {
    id,
    generation,
    ...(generation === "2.1" ? { credential: await issueCredential(id) } : {}),
    clientRoots: clientRoots.flatMap(fromPem),
    tokenKeys: tokenKeys.keys,
    displayMs: 300,
    ...options,
  };
  return TagSimulator.create(config, world);
}

/** A key and certificate of the demo tag CA for `deviceId`. */
export async function issueCredential(deviceId: string): Promise<TagCredential> {
  const keys = await generateKeys();
  const leaf = await issueTagLeaf({
    issuer: {
      certificate: fromBase64(demo("tag-ca.json").certificate),
      privateKey: await importSignKey(demo("tag-ca.jwk.json")),
    },
    deviceId,
    publicKey: keys.publicKey,
    serial: systemRandom(8),
    notBefore: new Date(Date.now() - 86_400_000),
  });
  return { chain: [leaf], privateKey: keys.privateKey };
}
