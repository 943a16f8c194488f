import { expect, it } from "vitest";
import { guestSession } from "../test-support/logins.ts";
import { startService } from "../test-support/service.ts";
import { isUnlisted } from "./places.ts";

const flight = (carrier: string, from: string) => ({
  ...{ carrier, number: "1", date: "2027-03-14", from, to: "HEL" },
});
const LISTED = { SK: ["OSL", "ARN"], U2: [] };

it.each([
  ["a listed airport", [flight("SK", "OSL")], false],
  ["an airport that is not listed", [flight("SK", "BGO")], true],
  ["an airline that accepts nowhere", [flight("U2", "OSL")], true],
  ["an airline of which nothing is listed", [flight("LH", "FRA")], false],
  ["a later flight's airport", [flight("SK", "OSL"), flight("SK", "BGO")], false],
  ["no flight", [], false],
])("of %s", (_, flights, expected) => {
  expect(isUnlisted(LISTED, { flights })).toBe(expected);
});

/** Ada flies SK from OSL. */
async function adasJourney(file: () => Response) {
  const read: string[] = [];
  const assets = async ({ url }: Request) => {
    const { pathname } = new URL(url);
    if (pathname.startsWith("/cities/")) return Response.json({});
    read.push(pathname);
    return file();
  };
  const service = await startService({}, undefined, { assets });
  const guest = await guestSession(service);
  const ada = { recordLocator: "ABC123", surname: "LOVELACE" };
  const { body } = await guest.call("journeyFromRecordLocator", ada);
  return { service, guest, body, read };
}

it("journeys say so, read once an isolate, and the tag may be written all the same", async () => {
  const { guest, body, read } = await adasJourney(() => Response.json({ SK: ["ARN"] }));
  expect(body.acceptsTags).toBe(false);
  expect((await guest.call("journeys")).body.journeys[0].acceptsTags).toBe(false);
  expect(read).toEqual(["/branding/ebt-airports.json"]);
  const token = await guest.call("ebtAuthorization", {
    uniqueDeviceId: "ebt-21-0002",
    nonce: "n",
    baggageId: 1,
  });
  expect(token.status).toBe(200);
});

it.each([
  ["the airport is listed", () => Response.json({ SK: ["OSL"] })],
  ["there is no file", () => new Response(null, { status: 404 })],
])("journeys say nothing where %s", async (_, file) => {
  expect((await adasJourney(file)).body).not.toHaveProperty("acceptsTags");
});

it("journeys say nothing where the file cannot be read, and the log does", async () => {
  const { service, body } = await adasJourney(() => new Response("<!doctype html>"));
  expect(body).not.toHaveProperty("acceptsTags");
  expect(service.log.at(-1)).toMatchObject({ unread: ["acceptsTags"] });
});
