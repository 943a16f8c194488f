/** `npm run tag`: this machine's Bluetooth becomes a tag, with the simulator's state machine behind it. */
import { join } from "node:path";
import { fromBase64 } from "../../core/encoding/bytes.ts";
import type { Issuer } from "../../core/pki/issue.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import demoTagKey from "../../db/demo/tag-ca.jwk.json" with { type: "json" };
import { realTimeWorld } from "../../sim/real-time-world.ts";
import { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagEvent } from "../../sim/tag/tag-types.ts";
import { issuerIn, issuerOf, TAG_CA } from "../certificates/tag-certificate.ts";
import { runCommand } from "../command-line.ts";
import { HciTransport } from "../radio/hci-transport.ts";
import { openRadio } from "../radio/open-radio.ts";
import { advertise } from "../radio/peripheral.ts";
import { servePage, terminalLabel } from "./label/label.ts";
import { helpFor, TAG, type TagOptions, tagOptions } from "./options.ts";
import { TagStore, trustOf } from "./tag-store.ts";

/** As slow as an e-paper. */
const DISPLAY = 1_500;

/** The CA of a maker's folder, else the demo's, which no deployment trusts. */
const issuerFor = (maker: string | undefined): Promise<Issuer> =>
  maker === undefined ? issuerOf(fromBase64(demoTagCa.certificate), demoTagKey) : issuerIn(maker, TAG_CA);

/** A line for what a person may want to know. */
function said(event: TagEvent): string | undefined {
  switch (event.type) {
    case "link":
      return event.change;
    case "state":
      return `${event.from} → ${event.to}`;
    case "refusal":
      return `refused: ${event.reason} (sent: ${event.sent})`;
    case "display":
      return event.state === "REFRESHING" ? "display changes" : terminalLabel(event.content);
    default:
      return undefined;
  }
}

async function run(options: TagOptions): Promise<void> {
  const store = new TagStore(options.folder);
  const { isNew, address, ...identity } = await store.identity(options, () => issuerFor(options.maker));
  const { isStored, ...trust } = await trustOf(options.service, store);
  const { memory } = store;
  const config = { ...identity, ...trust, displayMs: DISPLAY, ...(memory && { memory }) };
  const keep = (changed: Parameters<TagStore["saveMemory"]>[0]) =>
    orEnd(options, () => store.saveMemory(changed));
  const tag = await TagSimulator.create({ ...config, keep }, realTimeWorld());
  const transport = new HciTransport(await openRadio(options.radio, options.asRoot));
  const { closed } = await advertise(tag, transport, address);
  const page = await servePage(() => tag.snapshot(), options.pagePort);
  if (!isNew && options.id !== undefined && options.id !== identity.id)
    console.log(`${options.folder} holds ${identity.id}; --id is for a new tag. Delete the folder for one.`);
  if (isNew) console.log(`A new tag, kept in ${options.folder}. ${registration(options, store)}`);
  if (isStored)
    console.log(`No service at ${options.service}: the tag trusts what the service gave it last.`);
  console.log(terminalLabel(tag.snapshot().display.content));
  console.log(`ready ${tag.name}  ${tag.id}  GATT v${identity.generation}  label ${page.url}`);
  tag.observe((event) => {
    const line = said(event);
    if (line !== undefined) console.log(line);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
  throw await closed;
}

function registration({ generation, maker }: TagOptions, store: TagStore): string {
  if (generation === "2.0") return "A v2.0 tag has no certificate.";
  if (maker === undefined) return "A development service trusts its certificate; no other does.";
  return `Register it: npm run ops -- devices import --file ${store.certificateFile} --tag-root ${join(maker, TAG_CA.certificate)}`;
}

/** What cannot be kept must not have happened: the tag stops as if its power had gone. */
function orEnd(options: TagOptions, work: () => void): void {
  try {
    work();
  } catch (error) {
    end(error, options.radio);
  }
}

function end(error: unknown, radio: string): never {
  console.error(helpFor(error, radio) ?? error);
  process.exit(1);
}

await runCommand(TAG, async (given) => {
  const options = tagOptions(given, process.env);
  try {
    await run(options);
  } catch (error) {
    end(error, options.radio);
  }
});
