import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { BAG_EVENTS, BagEventsMessage, parseAnswer } from "../../core/api/index.ts";
import { openApiText } from "./write.ts";

/** The OpenAPI document as the build makes it. What it says of answers is compared with answers in worker/. */

const text = openApiText();
const { components, paths, webhooks } = JSON.parse(text);

const linted = async (source: string) =>
  (
    await lintFromString({
      source,
      absoluteRef: "openapi.json",
      config: await createConfig({ extends: ["recommended"] }),
    })
  ).map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`);

/** One run shows both that the rules find a fault and that the document has no other: reading it takes a second. */
it("Redocly's recommended rules find what is planted, and nothing else", async () => {
  const planted = text.replace('"operationId":"refresh"', '"operationId":"logout"');
  expect(await linted(planted)).toEqual([expect.stringMatching(/^operation-operationId-unique /)]);
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

/** Dotted names of what has no description, below `name`. */
const undescribed = (name: string, { description, properties = {} }: Schema): string[] => [
  ...(description?.match(/^\S.*[.;!?`)]$/s) ? [] : [name]),
  ...Object.entries(properties).flatMap(([field, schema]) => undescribed(`${name}.${field}`, schema)),
];

describe("descriptions", () => {
  it("say of every record and property what it is", () => {
    const names = Object.entries<Schema>(components.schemas).flatMap(([name, schema]) =>
      undescribed(name, schema),
    );
    expect(names).toEqual([]);
  });

  it("are the comments of the records", () => {
    const { uniqueDeviceId, recordLocator } = components.schemas.EbtCustodyProofRequest.properties;
    expect(uniqueDeviceId.description).toBe("The tag's id, as the tag or the label on it shows it.");
    expect(recordLocator.description).toBe("Of the journey that the tag is locked to.");
    expect(components.schemas.JourneyWithCompanions.properties.version.description).toMatch(/^Rises/);
    expect(components.schemas.EbtConfiguration.properties.clientKeys.properties.kiosk.description).toBe(
      "Of kiosks.",
    );
  });
});

describe("requests", () => {
  const bodies = (isRequired: boolean) =>
    Object.values<{ post?: { operationId: string; requestBody?: { required: boolean } } }>(paths)
      .filter(({ post }) => post?.requestBody?.required === isRequired)
      .map(({ post }) => post?.operationId)
      .toSorted();

  it("need a body exactly where an empty one would be refused", () => {
    expect(bodies(true)).toHaveLength(24);
    expect(bodies(false)).toEqual([
      "auditEvents",
      "baggageTag",
      "delegations",
      "deviceClientCertificate",
      "events",
      "journey",
      "journeys",
      "staffCheck",
      "tracedBags",
    ]);
  });

  it("name a tag by one of three names", () => {
    expect(components.schemas.DeviceModel.anyOf).toEqual([
      { required: ["uniqueID"] },
      { required: ["mac"] },
      { required: ["guid"] },
    ]);
  });
});

describe("webhooks", () => {
  const { "bag.events": webhook } = webhooks;
  const { schema, example } = webhook.post.requestBody.content["application/json"];

  it("name and explain every event of the table", () => {
    for (const [name, meaning] of Object.entries(BAG_EVENTS))
      expect(webhook.post.description).toContain(`- \`${name}\`: ${meaning}`);
    expect(components.schemas.BagEvent.properties.event.anyOf[0].enum).toEqual(Object.keys(BAG_EVENTS));
  });

  it("send a record of the document", () => {
    expect(schema.$ref).toBe("#/components/schemas/BagEventsMessage");
    expect(parseAnswer(BagEventsMessage, example)).toEqual({ ok: true, value: example });
  });
});
