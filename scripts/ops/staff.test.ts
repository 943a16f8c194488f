import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import * as schema from "../../db/schema.ts";
import { verifyPassword } from "../../worker/secrets/credentials.ts";
import { devSecrets, operatorHere } from "./test-support/operator.ts";

/** The people who share an account, as an operator keeps them. */

const operator = operatorHere();
const PEPPER = fromBase64Url(devSecrets.PEPPER ?? "");
const { ops } = operator;
const pinIn = (lines: readonly string[]) => lines.find((line) => line.startsWith("PIN: "))?.slice(5) ?? "";

const KIOSK = ["--client", "client-kiosk"];
describe("staff", () => {
  const ADA = [...KIOSK, "--id", "k 1001"];
  const members = () => operator.db.select().from(schema.staffMembers);
  const names = () => operator.db.select().from(schema.staffNames);

  let shown: readonly string[];
  beforeEach(async () => {
    shown = await ops("staff", "add", ...ADA, "--name", "Ada Lovelace");
  });

  it("get a PIN that is shown once, kept as a hash, and a name that is sealed", async () => {
    const pin = pinIn(shown);
    expect(pin).toMatch(/^\d{6}$/);
    const [member] = await members();
    expect(member).toMatchObject({ clientId: "client-kiosk", staffId: "K1001", enabled: true });
    expect(await verifyPassword(PEPPER, pin, member?.pinHash ?? "")).toBe(true);
    expect(JSON.stringify([await members(), await names()])).not.toMatch(new RegExp(`Lovelace|${pin}`));
    expect(await ops("staff", "list", ...KIOSK)).toEqual(["K1001\tenabled\tAda Lovelace"]);
  });

  it("get a new PIN by being added again, also after they were disabled", async () => {
    expect(await ops("staff", "disable", ...ADA)).toEqual(["staff K1001: disabled"]);
    expect((await members())[0]?.enabled).toBe(false);
    const pin = pinIn(await ops("staff", "add", ...ADA, "--name", "Ada King"));
    const [member] = await members();
    expect(member?.enabled).toBe(true);
    expect(await ops("staff", "list", ...KIOSK)).toEqual(["K1001\tenabled\tAda King"]);
    expect(await verifyPassword(PEPPER, pin, member?.pinHash ?? "")).toBe(true);
  });

  it("are forgotten: the name goes, the audit log stays, and no other gets the id", async () => {
    const row = { at: 8, event: "staff_checked", requestId: "r", staffId: "K1001" };
    await operator.db.insert(schema.auditLog).values(row);
    expect(await ops("staff", "forget", ...ADA)).toEqual(["staff K1001: disabled, name erased"]);
    expect(await names()).toEqual([]);
    expect(await ops("staff", "list", ...KIOSK)).toEqual(["K1001\tdisabled\t"]);
    expect(await operator.db.$count(schema.auditLog, sql`staff_id = 'K1001'`)).toBe(1);
    const again = ops("staff", "add", ...ADA, "--name", "Another Person");
    await expect(again).rejects.toThrow("choose another id");
  });
});
