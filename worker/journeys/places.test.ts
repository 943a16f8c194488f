import { describe, expect, it } from "vitest";
import { Journey, parseBody } from "../../core/api/index.ts";
import { ADA, guestSession } from "../test-support/logins.ts";
import { startService } from "../test-support/service.ts";
import { isUnlisted } from "./places.ts";

/** What journeys show of the files beside the service: cities' names, and airports that accept tags. */

const HELSINKI = { en: "Helsinki", nb: "Helsingfors" };
const absent = () => new Response(null, { status: 404 });

/** The journey of Ada, who flies SK from OSL, from a service whose files of `folder` are this; with the paths it has read. */
async function adasJourney(folder: string, file: () => Response) {
  const read: string[] = [];
  const assets = async ({ url }: Request) => {
    const { pathname } = new URL(url);
    if (!pathname.startsWith(folder)) return absent();
    read.push(pathname);
    return file();
  };
  const service = await startService({}, undefined, { assets });
  const guest = await guestSession(service);
  const { body } = await guest.call("journeyFromRecordLocator", ADA);
  return { service, guest, body, read };
}

it.each([
  ["there is no such airport", "/cities/", () => Response.json({ HAM: { en: "Hamburg" } })],
  ["the airport is listed", "/branding/", () => Response.json({ SK: ["OSL"] })],
])("journeys say nothing where %s", async (_, folder, file) => {
  const { body } = await adasJourney(folder, file);
  expect(body.recordLocator).toBe("ABC123");
  expect(body).not.toHaveProperty("destinationNames");
  expect(body).not.toHaveProperty("acceptsTags");
});

it.each([
  ["destinationNames", "/cities/"],
  ["acceptsTags", "/branding/"],
])("journeys have no %s where their file cannot be read, and the log says so", async (field, folder) => {
  const { service, body } = await adasJourney(folder, () => new Response("<!doctype html>"));
  expect(body.recordLocator).toBe("ABC123");
  expect(body).not.toHaveProperty(field);
  expect(service.log.at(-1)).toMatchObject({ unread: [field] });
});

it("the city in which a journey ends has its name in every language, read once an isolate", async () => {
  const file = () => Response.json({ HEL: HELSINKI });
  const { guest, body, read } = await adasJourney("/cities/", file);
  expect(body.destinationNames).toEqual(HELSINKI);
  // What labels show stays the airline's.
  expect(body.destinationCity).toBe("HELSINKI");
  expect(parseBody(Journey, body)).toEqual({ ok: true, value: body });
  expect((await guest.call("journeys")).body.journeys[0].destinationNames).toEqual(HELSINKI);
  expect(read).toEqual(["/cities/H.json"]);
});

describe("an airport that accepts no tags", () => {
  const flight = (carrier: string, from: string) => ({
    ...{ carrier, number: "1", date: "2027-03-14", from, to: "HEL" },
  });

  it.each([
    ["a listed airport", [flight("SK", "OSL")], false],
    ["an airport that is not listed", [flight("SK", "BGO")], true],
    ["an airline that accepts nowhere", [flight("U2", "OSL")], true],
    ["an airline of which nothing is listed", [flight("LH", "FRA")], false],
    ["a later flight's airport", [flight("SK", "OSL"), flight("SK", "BGO")], false],
    ["no flight", [], false],
  ])("of %s", (_, flights, expected) => {
    expect(isUnlisted({ SK: ["OSL", "ARN"], U2: [] }, { flights })).toBe(expected);
  });

  it("is marked in journeys, read once an isolate, and the tag may be written all the same", async () => {
    const file = () => Response.json({ SK: ["ARN"] });
    const { guest, body, read } = await adasJourney("/branding/", file);
    expect(body.acceptsTags).toBe(false);
    expect((await guest.call("journeys")).body.journeys[0].acceptsTags).toBe(false);
    expect(read).toEqual(["/branding/ebt-airports.json"]);
    const wish = { uniqueDeviceId: "ebt-21-0002", nonce: "n", baggageId: 1 };
    expect((await guest.call("ebtAuthorization", wish)).status).toBe(200);
  });
});
