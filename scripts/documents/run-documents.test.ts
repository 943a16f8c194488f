/** Runs the commands that the documents show, in a copy of this checkout, against a service started there. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FULL } from "../../core/full.test-support.ts";
import { readDocumented } from "../../worker/test-support/documented-message.ts";
import { codeBlocks, commandsOf } from "./read-markdown.ts";
import { type Checkout, copyCheckout, outputOf } from "./test-support/checkout.ts";

/** Commands of the README, and of the page about running, that run elsewhere, or need what no machine of the tests has. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  "npm test": "runs this program",
  "npm run check": "npm test runs it",
  "npm run check -- size": "scripts/check/check.test.ts",
  "npm run check -- language": "npm test runs it",
  "npm run test:changed": "format, lint, types and tests, which npm test runs all",
  "npm run nightly": "hours",
  "npm run bench -- NAME": "needs a machine with nothing else to do",
  "npx vitest run --project node": "npm test runs every project",
  "npx playwright test custody": "npm test runs every story",
  "npx wrangler dev": "e2e/wrangler-dev.spec.ts, nightly",
  "VAR_CHAOS_NONCE_REJECT=0.05 npm start": "the service of every story starts so: e2e/support/server.ts",
};

/** Pages whose shell blocks run one after the other. */
const GUIDES = {
  acceptance: "docs/acceptance.md",
  embed: "docs/embed.md",
  feed: "docs/feed.md",
  listen: "docs/listen.md",
  kit: "kit/README.md",
  operations: "docs/operations.md",
} as const;

/** Their blocks that need more than a machine with nothing but the project, by their first words. */
const GUIDES_ELSEWHERE: Readonly<Record<string, string>> = {
  "npm start  ": "commands that run beside one another: the kit, below",
  "npm run phone -- check": "commands that run beside one another: the kit, below",
  "npm run ops -- report verify": "needs a report that a browser saved; e2e/conformance.spec.ts",
  "npx wrangler secret bulk": "needs a deployment; scripts/deploy/deploy.test.ts",
  "npm run ops -- client create --remote": "needs a deployment",
  "npm run ops -- doctor --remote": "needs a deployment; scripts/deploy/deploy.test.ts",
  "npm run ops -- outcomes": "needs Analytics Engine; scripts/ops/outcomes.test.ts",
  "npx wrangler d1 export DB --remote": "needs a deployment; scripts/ops/restore-drill.test.ts",
  "cat > web/public/branding/ebt-airports.json": "a whole build; scripts/build/places.test.ts",
  "npm run release": "needs a signing key; scripts/release/two-releases.test.ts",
};

/** The shell blocks of a guide that run here, with a line between them that a failure shows. */
const blocksOf = (page: string) =>
  codeBlocks(page, "sh")
    .filter((block) => !Object.keys(GUIDES_ELSEWHERE).some((start) => block.startsWith(start)))
    .map((block, index) => `echo "--- block ${index + 1}" >&2\n${block}`)
    .join("\n");

/** What the page around the README's lines has. */
const HOST_OF_README = `
declare const tokenOfYourServer: string;
declare const button: HTMLButtonElement;
declare const show: (text: string) => void;

`;

/** Dozens of commands one after the other: on a busy machine, minutes. */
const PATIENCE = 3_600_000;
/** Too slow for a daily run. */
const nightly = it.skipIf(!FULL);

let checkout: Checkout;
beforeAll(async () => {
  checkout = await copyCheckout();
  await checkout.start("npm start").prints(/^ready http:\/\/localhost:\d+/m);
});
afterAll(() => checkout.remove());

describe("the README and the page about running", () => {
  const ran = {
    start: "npm start",
    curl: "curl -X POST localhost:8787/v2/auth/nonces",
    demo: "npm run demo",
    reset: "npm run ops -- demo reset",
    dev: "npm run dev",
    json: "LOG=json npm start",
  };

  it("are answered by curl", async () => {
    expect(await checkout.run(ran.curl)).toContain('{"nonce":"');
  });

  it("have a demo of four scenarios", async () => {
    const last = (await checkout.run(ran.demo)).trim().split("\n").at(-1);
    const { ok, scenarios } = JSON.parse(last ?? "");
    expect({ ok, count: scenarios.length }).toEqual({ ok: true, count: 4 });
  });

  it("put the demo's data back", async () => {
    expect(await checkout.run(ran.reset)).toMatch(/\S/);
  });

  nightly("serve the sources", async () => {
    const dev = checkout.start(ran.dev, { PORT: "0", STATE_DIR: ".wrangler/state-dev" });
    const [, url = ""] = await dev.prints(/ready (\S+)/);
    expect(await (await fetch(url)).text()).toContain("<!doctype html>");
    await dev.stop();
  });

  nightly("log as a deployment does", async () => {
    const start = checkout.start(ran.json, {
      PORT: "0",
      STATE_DIR: ".wrangler/state-2",
    });
    const [, url = ""] = await start.prints(/ready (\S+)/);
    await fetch(`${url}/v2/auth/nonces`, { method: "POST" });
    await start.prints(/^\{.*"route":"\/v2\/auth\/nonces"/m);
    await start.stop();
  });

  it("show no command without a run or a reason", () => {
    const shown = [...new Set([...commandsOf("README.md"), ...commandsOf("docs/development.md")])];
    const known = [...Object.values(ran), ...Object.keys(SHOWN_ELSEWHERE)];
    const unknown = shown.filter((line) => !known.includes(line));
    const stale = known.filter((line) => !shown.includes(line));
    expect({ unknown, stale }).toEqual({ unknown: [], stale: [] });
  });
});

describe("the kit", () => {
  const ran = ["npm start", "npm run phone -- write clear", "npm run tag -- --radio /dev/pts/3"] as const;
  const checked = ["npm run phone -- check --only gatt,frames --report report.json", ran[2]] as const;

  nightly("writes and clears a tag without a radio", async () => {
    const phone = checkout.start(ran[1]);
    const [line] = await phone.prints(/\/dev\/\S+/);
    const tag = checkout.start(ran[2].replace("/dev/pts/3", line));
    expect(await outputOf(phone)).toMatch(
      /written in \d+ ms, and the tag has signed it[\s\S]*cleared in \d+ ms/,
    );
    await tag.prints(/The phone at \S+ has ended/);
  });

  nightly("checks a tag without a radio and without a person, and has the tag sign the report", async () => {
    const phone = checkout.start(checked[0]);
    const [line] = await phone.prints(/\/dev\/\S+/);
    const tag = checkout.start(checked[1].replace("/dev/pts/3", line));
    expect(await outputOf(phone)).toMatch(
      /report\.json \(signed by the tag\), report\.xml[\s\S]*\d+ passed, 0 failed, 0 could not run/,
    );
    await tag.prints(/The phone at \S+ has ended/);
  });

  it("shows the commands that run so", () => {
    const linesOf = (block = "") =>
      block
        .trim()
        .split("\n")
        .map((line) => line.replace(/ +#.*$/, ""));
    const blocks = codeBlocks(GUIDES.kit, "sh");
    expect(linesOf(blocks[0])).toEqual(ran);
    expect(linesOf(blocks.find((block) => block.startsWith("npm run phone -- check")))).toEqual(checked);
  });
});

describe("the page about the brand", () => {
  const [files = "", start = "", look = "", cities = ""] = codeBlocks("docs/brand.md", "sh");

  nightly("brings an airline's name, icon and cities to page, manifest and service", async () => {
    await checkout.run(files);
    const service = checkout.start(start, { PORT: "0", STATE_DIR: ".wrangler/state-brand" });
    const [, url = ""] = await service.prints(/ready (\S+)/);
    const shown = await checkout.run(look.replaceAll("localhost:8787", new URL(url).host));
    expect(shown).toContain("<title>Polar Air</title>");
    expect(shown).toContain('href="/branding/icon.png" type="image/png"');
    expect(shown).toContain('"short_name":"Polar Air"');
    const { theme } = await (await fetch(`${url}/.well-known/ebt-configuration`)).json();
    expect(theme).toMatchObject({ name: "Polar Air", logoDark: "/branding/logo-dark.svg" });
    for (const file of [theme.logo, theme.logoDark, theme.icon])
      expect((await fetch(url + file)).headers.get("Content-Type")).toMatch(/^image/);
    await service.stop();
    await checkout.run(cities);
    const built = readFileSync(join(checkout.folder, "dist/client/cities/E.json"), "utf8");
    expect(JSON.parse(built).EWR).toEqual({ en: "New York", es: "Nueva York" });
  });
});

/** Both examples beside a service, then what happens to one bag. */
const ONE_BAG = String.raw`
secret() { sed -n 's/^secret: //p'; }
ACCEPTANCE_SECRET=$(npm run --silent ops -- acceptance set --airline SK --url http://localhost:9001 --fallback refuse | secret)
WEBHOOK="--id sorter --url http://localhost:9000 --airline SK --scope baggage:message"
WEBHOOK_SECRET=$(npm run --silent ops -- webhook add $WEBHOOK | secret)
export ACCEPTANCE_SECRET WEBHOOK_SECRET
node examples/acceptance/host.mjs 9001 &
node examples/receiver.mjs 9000 | tee received &
seen() { until grep -q "^$1 " received; do sleep 0.1; done; } # a message says what is true when it is delivered
for port in 9000 9001; do until curl --silent --output /dev/null localhost:$port; do sleep 0.1; done; done
DAY=$(node -p 'new Date(Date.now() + 86400000).toISOString().slice(0, 10)')
BOOKING='"airline": "SK", "recordLocator": "STORY1", "passengers": [{"surname": "Hopper", "givenName": "Grace"}],
  "flights": [{"carrier": "SK", "number": "4711", "date": "'$DAY'", "from": "OSL", "to": "CPH"}]'
JOURNEY=$(call /v2/journeys/from-airline-payload "{$BOOKING}" | field .journeys[0].journeyId)
BAG=$(call /v2/journeys/$JOURNEY/baggage-tags '{"slotNumber": 1}' | field .baggage[0].baggageId)
seen bag_added
call /v2/device-attachments '{"device": {"uniqueID": "one-bag"}, "baggageId": '$BAG'}'
seen attached
call /v2/ebt-unlocks '{"uniqueDeviceId": "one-bag"}'
seen cleared
call /v2/journeys/from-airline-payload "{$BOOKING, \"withdraw\": \"booking\"}"
wait
`;

describe("an acceptance host and a receiver, as the documents have them", () => {
  nightly("see one bag from the request for its plate to its deletion", async () => {
    const world = { STATE_DIR: ".wrangler/state-one-bag" };
    const service = checkout.start("npm start", { PORT: "0", ...world });
    const [, url = ""] = await service.prints(/ready (\S+)/);
    const [functions = ""] = codeBlocks("docs/feed.md", "sh");
    const story = checkout.start(functions + ONE_BAG, { SERVICE: url, ...world });
    const [output] = await story.prints(/bag\.acceptance[\s\S]*\nDEL\n[\s\S]*ENDBSM\n/);
    expect(output).toMatch(/^bag\.acceptance accepted\n/);
    const messages = output.match(/BSM\n[\s\S]*?ENDBSM\n/g) ?? [];
    const bag = { from: "OSL", plate: "0117500000", flights: [{ airline: "SK", number: "4711", to: "CPH" }] };
    expect(messages.map(readDocumented)).toMatchObject([
      { kind: "add", ...bag, name: { surname: "HOPPER" } },
      { kind: "CHG", ...bag, recordLocator: "STORY1" },
      { kind: "CHG", ...bag },
      { kind: "DEL", ...bag, name: undefined, recordLocator: undefined },
    ]);
    await story.stop();
    await service.stop();
  });
});

describe("the guides", () => {
  const follow = (name: keyof typeof GUIDES) => checkout.run(blocksOf(GUIDES[name]));

  it("feed: a booking comes in, its bag is locked to a tag and released, and the booking goes", async () => {
    const lines = (await follow("feed")).split("\n").filter((line) => line !== "" && !line.startsWith("---"));
    const id = expect.stringMatching(/^\d+$/);
    const token = expect.stringMatching(/^[\w-]{200,}$/);
    const flight = expect.stringMatching(/^\.F\/SK4711\/\d\d[A-Z]{3}\/CPH$/);
    const message = ["BSM", "DEL", ".V/1LOSL", flight, ".N/0117990001001", "ENDBSM"];
    expect(lines).toEqual([
      ...[id, "applied", "false", token, "true", "false", "released,attached", "0", ...message],
    ]);
  });

  nightly("acceptance: a host gives a bag its plate, refuses another, and finds a booking", async () => {
    const output = await follow("acceptance");
    for (const line of ["0117500000", "allowance,Three bags are included in your fare.", "Grace"])
      expect(output).toContain(`\n${line}\n`);
    for (const line of ["bag.acceptance accepted", "bag.acceptance refused", "booking.request found"])
      expect(output).toContain(`${line}\n`);
  });

  nightly("kit: a maker's CA issues certificates, and the service takes the list", async () => {
    expect(await follow("kit")).toContain("devices at v2.1: 1");
  });

  nightly("embed: the package installs, and its TypeScript compiles strictly against it", async () => {
    await follow("embed");
    const project = join(checkout.folder, "project");
    const compilerOptions = {
      ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
      ...{ target: "es2022", module: "esnext", moduleResolution: "bundler", lib: ["es2023", "dom"] },
    };
    writeFileSync(join(project, "shown.ts"), codeBlocks("docs/embed.md", "ts").join("\n"));
    const readme = codeBlocks("README.md", "ts").join("\n");
    writeFileSync(join(project, "readme.ts"), readme.replace("\n\n", HOST_OF_README));
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["shown.ts", "readme.ts"] }),
    );
    expect(await checkout.run("tsc -p project")).toBe("");
  });

  nightly("listen: events come in order, to who asks and to a receiver", async () => {
    const output = await follow("listen");
    expect(output).toContain("attached 0117123456,cleared 0117123456\n");
    expect(output).toContain("attached 0117123456\ncleared 0117123456\n");
  });

  nightly(
    "operations: the operator's commands work on the database of the service that runs",
    async () => {
      expect(await follow("operations")).toMatch(/--- block 8/);
    },
    PATIENCE,
  );

  it("no block is passed over without a reason that stands", () => {
    const blocks = Object.values(GUIDES).flatMap((page) => codeBlocks(page, "sh"));
    const stale = Object.keys(GUIDES_ELSEWHERE).filter(
      (start) => !blocks.some((one) => one.startsWith(start)),
    );
    expect(stale).toEqual([]);
  });
});
