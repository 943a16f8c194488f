import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Option, readOptions, WordsError } from "../../kit/command-line.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { ORIGIN, TARGET_OPTIONS } from "./command.ts";
import { COMMANDS, EXAMPLES } from "./commands.ts";
import { failureOf, outcomeOf } from "./test-support/operator.ts";

/** What the values of options may be: a wrong one ends the command with 2 before it has asked anything. */

const folder = temporaryFolder();

/** A command that must not ask its database anything: there is none. */
const outcome = (...words: readonly string[]) =>
  outcomeOf(words, { open: async () => ({ db: undefined as never, name: "none", close: async () => {} }) });

/** The sentence and the exit code of such a command. */
const refused = async (...words: readonly string[]) => failureOf(await outcome(...words));

/** Values of options that may be any text: names, ids and the like. New ones are added here, or get a `fault`. */
const ANY_TEXT = ["id", "text", "name", "kid", "pseudonym", "url", "file", "folder", "seal"];

/** What no checked option takes. */
const WRONG = '"?", '.repeat(20);

const OPTIONS = COMMANDS.flatMap((command) =>
  Object.entries<Option>({ ...TARGET_OPTIONS, ...command.options }).flatMap(([name, option]) =>
    option.value === undefined ? [] : [[command.name, name, option] as const],
  ),
);

it("every option is checked, or takes any text", () => {
  for (const [command, name, option] of OPTIONS) {
    const words = `${command} --${name}`;
    if (option.fault === undefined) expect.soft(ANY_TEXT, words).toContain(option.value);
    else expect.soft(() => readOptions({ [name]: option }, [`--${name}`, WRONG]), words).toThrow(WordsError);
  }
  expect(OPTIONS.filter(([, , { fault }]) => fault).length).toBeGreaterThan(60);
});

it("help begins with what is required, and ends with examples, which are right", async () => {
  for (const { name, options } of COMMANDS) {
    const { lines } = await outcomeOf([...name.split(" "), "--help"]);
    for (const [option, { required }] of Object.entries(options ?? {}))
      expect.soft(lines[0]?.includes(` --${option} <`), name).toBe(required === true);
    for (const example of EXAMPLES[name] ?? []) {
      const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
      readOptions({ ...TARGET_OPTIONS, ...options }, words);
      expect.soft(lines).toContain(`npm run ops -- ${name} ${example}`.trimEnd());
    }
  }
});

it.each([
  ["client list --env moon", "--env is one of staging, production"],
  ["client list --env staging", "--env is for --remote: this machine has one database"],
  ["client set --id x --airline sk", "--airline is an airline's designator in capitals, such as SK"],
  ["devices list --limit 0", "--limit is a whole number from 1"],
  ["devices list --limit 1e3", "--limit is a whole number from 1"],
  ["audit verify --expect abc", "--expect is 32 bytes of base64url: 43 characters"],
  ["outcomes --days 91", "--days is a whole number, 1 to 90"],
  ["issuer add --issuer x --audience y --jwks-url http://x", "--jwks-url is a URL that begins with https:"],
  ["plates set --airline XX --issuer 99 --first 1 --last 2", "--issuer is three digits, such as 117"],
  ["webhook replay --id x --from yesterday", "--from is an instant, such as 2026-05-03T06:00:00Z"],
  ["webhook replay --id x --from 2026", "--from is an instant, such as 2026-05-03T06:00:00Z"],
  ["key revoke --serial xyz", "--serial is the hexadecimal number of a certificate"],
  ["smoke --url tags.example.com --locator A --surname B", "--url is the address of a service, such as "],
  ["devices import --file package.txt", "--file ends in .pem or .csv"],
  ["report verify --file scripts", "--file names no file: scripts"],
  ["secrets --out x --ca nowhere", "--ca names no folder: nowhere"],
  ["client create --id x --name x", "--login is missing"],
  ["client create --remote --id x --name x --login b2b", "--secrets is missing"],
  ["client destroy", "no command client destroy"],
  ["absent --help", "no command absent --help"],
  // Options that do not go together.
  ["issuer add --issuer x --audience y", "one of --jwks-url and --jwks"],
  ["key revoke", "one of --serial and --spki"],
  ["session end", "one of --sub and --client"],
  ["client set --id x", "nothing to change was given"],
  ["client set --id x --no-origin --origin https://a.example", "one of --origin and --no-origin"],
  [
    "keys rotate --file package.json --ring AUDIT_SEAL_KEYS --drop a --announce",
    "one of --announce, --promote and --drop",
  ],
  ["plates set --airline XX --issuer 999 --first 2 --last 1", "--first and --last are serials in order"],
  [
    "maker tag --dir docs --id a --out x --csr package.json --key package.json",
    "--csr and --key: one of them",
  ],
  ["client create --id x --name x --login guest", "--login guest needs --evidence"],
  [
    "client create --id x --name x --login attestation --evidence none",
    "--login attestation needs --evidence but none",
  ],
  ["client create --id x --name x --login federated", "--login federated needs --issuer"],
])("ends with 2, and nothing is asked: %s", async (words, sentence) => {
  const [said, code] = await refused(...words.split(" "));
  expect([said.slice(0, sentence.length), code]).toEqual([sentence, 2]);
});

it.each([
  ["https://tags.example.com", undefined],
  ["http://localhost:*", undefined],
  ["https://[2001:db8::1]:8443", undefined],
  ["capacitor://localhost", undefined],
  ["https://tags.example.com/", ": https://tags.example.com"],
  ["https://tags.example.com:443", ": https://tags.example.com"],
  ["HTTPS://Tags.example.com", ": https://tags.example.com"],
  ["https://ada@tags.example.com", ": https://tags.example.com"],
  ["capacitor://localhost/", ": capacitor://localhost"],
  ["tags.example.com", ", such as https://tags.example.com or capacitor://localhost"],
  ["file:///app", ", such as https://tags.example.com or capacitor://localhost"],
  ["*", ", such as https://tags.example.com or capacitor://localhost"],
])("of the origin %s it says what is right", (text, hint) => {
  expect(ORIGIN.fault(text)).toBe(hint && `is an origin, without path and slash${hint}`);
});

describe("a list of tags that holds none, or others than it should", () => {
  const HEADER = "`id,certificate` or `id,spkiHash` or `id,certificate,spkiHash`";
  const HASH = "A".repeat(43);
  it.each([
    ["no line", "empty.csv", "", `the list is empty: the header ${HEADER}, then a line for each`],
    ["a header alone", "header.csv", "id,spkiHash\n", `the list is empty: the header ${HEADER}`],
    ["other columns", "wrong.csv", "serial,key\n1,2\n", `the first line is no header: it must be ${HEADER}`],
    ["a value too many", "more.csv", "id,spkiHash\nacme-1,a,b\n", "line 2 has 3 values, and the header 2"],
    ["a quote", "quote.csv", '\nid,spkiHash\n\n"acme-1",\n', "line 4 has a quote: values stand without"],
    ["no id", "id.csv", `id,spkiHash\n,${HASH}\n`, "line 2: a tag has an id or a certificate"],
    ["half a hash", "hash.csv", "id,spkiHash\nacme-1,AAAA\n", "line 2 (acme-1): spkiHash is 32 bytes"],
    ["no certificate", "text.pem", "hello", "text.pem holds no tags: it must hold certificates (PEM)"],
    [
      "not one",
      "not.csv",
      "id,certificate\nacme-1,AAAA\n",
      "line 2 (acme-1): the certificate cannot be read",
    ],
    ["no base64", "base.csv", "id,certificate\nacme-1,?\n", "line 2 (acme-1): not base64"],
  ])("%s: the sentence says what it must hold", async (_, name, text, sentence) => {
    writeFileSync(join(folder, "ca.pem"), PEM);
    writeFileSync(join(folder, name), text);
    const words = ["--file", join(folder, name), "--tag-root", join(folder, "ca.pem")];
    expect((await outcome("devices", "import", ...words)).sentence).toContain(sentence);
  });
});

const PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
