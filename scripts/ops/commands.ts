import { issuerCommands, plateCommands } from "./airlines.ts";
import { auditCommands } from "./audit.ts";
import { bookingCommands } from "./bookings.ts";
import { clientCommands } from "./clients.ts";
import type { Command } from "./command.ts";
import { demoCommands } from "./demo.ts";
import { deviceCommands } from "./devices.ts";
import { doctorCommands } from "./doctor.ts";
import { drillCommands } from "./drills.ts";
import { keyCommands, makerCommands } from "./keys.ts";
import { outcomeCommands } from "./outcomes.ts";
import { reportCommands } from "./report.ts";
import { resealCommands } from "./reseal.ts";
import { revocationCommands, staffCommands } from "./staff.ts";
import { tagCommands } from "./tags.ts";
import { acceptanceCommands, webhookCommands } from "./webhooks.ts";

/** Everything an operator can do, in the order in which a deployment needs it. */
export const COMMANDS: readonly (Command & { readonly name: string })[] = Object.entries<Command>({
  ...keyCommands,
  ...clientCommands,
  ...staffCommands,
  ...issuerCommands,
  ...plateCommands,
  ...makerCommands,
  ...deviceCommands,
  ...tagCommands,
  ...bookingCommands,
  ...webhookCommands,
  ...acceptanceCommands,
  ...reportCommands,
  ...revocationCommands,
  ...resealCommands,
  ...auditCommands,
  ...doctorCommands,
  ...drillCommands,
  ...outcomeCommands,
  ...demoCommands,
}).map(([name, command]) => ({ name, ...command }));

const AT = "--remote --env production";
const SECRETS = "--secrets ~/secure/taglatch.json";

/** Examples of every command, as `--help` shows them; a test reads each as it would be read. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "ca root": ['--dir ~/secure/ca --name "Example Air Tag Root"'],
  "ca intermediate": ['--dir ~/secure/ca --name "Example Air Tag Service 1"'],
  secrets: ["--ca ~/secure/ca --out ~/secure/taglatch.json"],
  "keys rotate": ["--file ~/secure/taglatch.json --ring ACCESS_TOKEN_KEYS"],
  "keys vapid": ["--file ~/secure/taglatch.json"],
  "keys intermediate": ["--file ~/secure/taglatch.json --ca ~/secure/ca"],
  "client create": [
    `${AT} ${SECRETS} --id client-kiosk --name "Kiosks" --login b2b --airline XX --origin https://tags.example.com`,
    `${AT} ${SECRETS} --id dcs --name "Departure control" --login b2b --airline XX --scope journey:write --scope audit:read`,
  ],
  "client list": [AT, `${AT} --json`],
  "client show": [`${AT} --id client-passenger`],
  "client set": [
    `${AT} --id client-passenger --origin https://tags.example.com --origin https://www.example.com`,
  ],
  "client flags": [`${AT} --id client-passenger --flag requireDpop --flag requireApprovedContent`],
  "client enable": [`${AT} --id client-passenger`],
  "client disable": [`${AT} --id client-passenger`],
  "account create": [`${AT} ${SECRETS} --client client-kiosk --username osl-gate-7 --airline XX`],
  "account list": [`${AT} --client client-kiosk`],
  "account enable": [`${AT} --client client-kiosk --username osl-gate-7`],
  "account disable": [`${AT} ${SECRETS} --client client-kiosk --username osl-gate-7`],
  "staff add": [`${AT} ${SECRETS} --client client-kiosk --id 1001 --name "Ada Lovelace"`],
  "staff list": [`${AT} ${SECRETS} --client client-kiosk`],
  "staff disable": [`${AT} --client client-kiosk --id 1001`],
  "staff forget": [`${AT} --client client-kiosk --id 1001`],
  "issuer add": [
    `${AT} --issuer https://id.example.com --audience taglatch --jwks-url https://id.example.com/jwks.json`,
  ],
  "issuer list": [AT],
  "issuer disable": [`${AT} --issuer https://id.example.com`],
  "plates set": [`${AT} --airline XX --issuer 999 --first 200000 --last 299999`],
  "plates list": [AT],
  "maker ca": ['--dir ~/secure/maker --name "Example Tags CA"'],
  "maker tag": ["--dir ~/secure/maker --id acme-0001 --csr acme-0001.csr --out certificates"],
  "maker batch": ["--dir ~/secure/maker --file requests.csv --out tags.csv"],
  "devices import": [
    `${AT} --file tags.csv --tag-root ~/secure/tag-ca.pem`,
    `${AT} --file tags.csv --tag-root ~/secure/tag-ca.pem --from 120001`,
  ],
  "devices list": [AT, `${AT} --locked --after ebt-21-0100`],
  "tag show": [`${AT} --id EBT-21-0001`],
  "tag release": [`${AT} --id EBT-21-0001 --reason "found in the baggage hall"`],
  "booking show": [`${AT} ${SECRETS} --locator ABC123 --surname Lovelace --json`],
  "booking erase": [`${AT} ${SECRETS} --locator ABC123 --surname Lovelace --yes`],
  "webhook add": [`${AT} ${SECRETS} --id dcs --url https://dcs.example.com/bag-events --airline XX`],
  "webhook list": [AT, `${AT} --json`],
  "webhook show": [`${AT} --id dcs`],
  "webhook scope": [`${AT} --id dcs --scope baggage:message`, `${AT} --id dcs`],
  "webhook rotate": [`${AT} ${SECRETS} --id dcs`],
  "webhook replay": [`${AT} --id dcs`, `${AT} --id dcs --from 2026-05-03T06:00:00Z`],
  "webhook remove": [`${AT} --id dcs`],
  "acceptance set": [`${AT} ${SECRETS} --airline XX --url https://dcs.example.com/bags --fallback draw`],
  "acceptance show": [AT],
  "acceptance remove": [`${AT} --airline XX`],
  "report verify": ["--file conformance-EBT-0001.json --tag-root tag-ca.pem"],
  "key revoke": [`${AT} --serial 0123456789abcdef0123456789abcdef`],
  "session end": [`${AT} --client client-kiosk`],
  "data reseal": [`${AT} ${SECRETS}`],
  "audit verify": [`${AT} ${SECRETS}`],
  "audit archive": [`${AT} ${SECRETS} --archive ~/secure/audit`],
  doctor: [`${AT} ${SECRETS} --url https://tags.example.com`, "--json"],
  smoke: [`${AT} --url https://tags.example.com --locator ABC123 --surname Lovelace`],
  outcomes: ["", "--by tag --days 30"],
  "restore drill": [
    "--file schema.sql --file data.sql --secrets ~/secure/taglatch.json --env production",
    "--file schema.sql --file data.sql --secrets ~/secure/taglatch.json --env production --locator ABC123 --surname Lovelace",
  ],
  "demo reset": [""],
};
