import * as v from "valibot";
import { deviceId, instant, int32, namedDevice, optional, text } from "./fields.ts";

/** Records of a found bag, and of where it is (rules §5, "Found"): an addition to the interface. */

const between = /* @__NO_SIDE_EFFECTS__ */ (least: number, most: number) =>
  v.pipe(v.number(), v.minValue(least), v.maxValue(most));

/** Where a device says it is (W3C Geolocation, WGS 84). */
export const Position = v.object({
  /** Degrees north. */
  latitude: between(-90, 90),
  /** Degrees east. */
  longitude: between(-180, 180),
  /** Radius of the 95 % circle. */
  accuracyMetres: between(0, 100_000_000),
});
export type Position = v.InferOutput<typeof Position>;

/** What a finder says. */
const said = {
  /** IATA code of the airport. */
  airport: optional(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/))),
  /** The desk or belt where the bag is. */
  desk: optional(text(32)),
  /** Anything else, in the finder's own words. Airline and owner read them. */
  words: optional(text(200)),
  /** Where the finder's device is, with their consent. */
  position: optional(Position),
};

/** POST /v2/found-reports, by anybody: at least one of airport, desk, words and position. */
export const FoundReportRequest = v.pipe(
  v.object({ uniqueDeviceId: deviceId, ...said }),
  v.metadata({ requireOneOf: ["airport", "desk", "words", "position"] }),
);
export type FoundReportRequest = v.InferOutput<typeof FoundReportRequest>;

/** The same whether the tag is known, locked or neither. */
export const FoundReportResponse = v.object({
  /** Always true. */
  received: v.literal(true),
});
export type FoundReportResponse = v.InferOutput<typeof FoundReportResponse>;

/** What one finder said, and when. */
export const FoundReport = v.object({
  /** When. */
  at: instant,
  ...said,
});
export type FoundReport = v.InferOutput<typeof FoundReport>;

/** The holder's link to where the bag is, as the holder sees it. */
export const LocationLink = v.object({
  /** The host that it leads to. */
  host: v.string(),
  /** When it was added. */
  addedAt: instant,
  /** The airline that opened it last. */
  openedBy: optional(v.string()),
  /** When it did. */
  openedAt: optional(instant),
});
export type LocationLink = v.InferOutput<typeof LocationLink>;

/** POST /v2/bag-traces, by a holder of an entitled lock. */
export const BagTraceRequest = v.object({ uniqueDeviceId: deviceId });
export type BagTraceRequest = v.InferOutput<typeof BagTraceRequest>;

/** POST /v2/bag-traces/changes; what is absent stays as it is. */
export const BagTraceChangeRequest = v.object({
  uniqueDeviceId: deviceId,
  /** Whether the holder has muted found reports. */
  muted: optional(v.boolean()),
  /** An https link to a shared location, of a host that the service allows; empty takes it away. */
  locationLink: optional(text(512)),
  /** An endpoint of the browser's push service (RFC 8030), that notifies the holder of reports; empty takes it away. */
  pushEndpoint: optional(text(1_024)),
  /** With an endpoint: whether it also gets one message an hour after landing, to clear the tag. */
  remindToClear: optional(v.boolean()),
});
export type BagTraceChangeRequest = v.InferOutput<typeof BagTraceChangeRequest>;

/** The story of a bag as its holder sees it. */
export const BagTrace = v.object({
  uniqueDeviceId: namedDevice,
  /** Since when it is marked lost. */
  lostSince: optional(instant),
  /** The holder mutes found reports. */
  muted: v.boolean(),
  /** Newest first: of each UTC day, the first of each of the first three networks. */
  reports: v.array(FoundReport),
  /** How many more there are, which staff see. */
  more: int32(0),
  /** The link, where the holder has added one. */
  link: optional(LocationLink),
  /** Web Push notifies the caller of reports. */
  pushed: optional(v.literal(true)),
});
export type BagTrace = v.InferOutput<typeof BagTrace>;

/** POST /v2/traced-bags, by ground staff: without `uniqueDeviceId` every lost or found bag of their airlines. */
export const TracedBagsRequest = v.object({
  /** This tag's alone, with its reports. */
  uniqueDeviceId: optional(deviceId),
  /** The last answer's `nextCursor`. */
  cursor: optional(v.pipe(v.string(), v.regex(/^[0-9a-z]{1,10}\.(?:[0-9a-f]{2}){1,512}$/))),
});
export type TracedBagsRequest = v.InferOutput<typeof TracedBagsRequest>;

/** A report as staff see it. */
export const TracedReport = v.object({
  ...FoundReport.entries,
  /** The same for reports about this tag from one network; it reveals nothing else. */
  source: v.string(),
});
export type TracedReport = v.InferOutput<typeof TracedReport>;

/** A bag that is lost or found. */
export const TracedBag = v.object({
  uniqueDeviceId: namedDevice,
  /** The journey's id with the service. */
  journeyId: v.string(),
  /** The bag's number with the service. */
  baggageId: int32(1),
  /** Ten digits (IATA Resolution 740). */
  licencePlate: optional(v.string()),
  /** The last flight of its journey, as printed: carrier and number. */
  flight: optional(v.string()),
  /** Since when it is marked lost. */
  lostSince: optional(instant),
  /** When it was last reported found. */
  foundAt: optional(instant),
  /** How many reports there are. */
  reportCount: int32(0),
  /** The holder has added a link to where it is. */
  hasLocationLink: v.boolean(),
  /** Every report, newest first, where one tag was asked for. */
  reports: optional(v.array(TracedReport)),
});
export type TracedBag = v.InferOutput<typeof TracedBag>;

/** The bag with the latest news first. */
export const TracedBagsResponse = v.object({
  /** None where nothing is lost or found. */
  bags: v.array(TracedBag),
  /** There may be more: send it as `cursor`. */
  nextCursor: optional(v.string()),
});
export type TracedBagsResponse = v.InferOutput<typeof TracedBagsResponse>;

/** POST /v2/location-links, by ground staff: the holder is notified of each opening. */
export const LocationLinkRequest = v.object({ uniqueDeviceId: deviceId });
export type LocationLinkRequest = v.InferOutput<typeof LocationLinkRequest>;

/** The link as the holder gave it. */
export const LocationLinkResponse = v.object({
  uniqueDeviceId: namedDevice,
  /** An https link of a host that the service allows. */
  locationLink: v.string(),
});
export type LocationLinkResponse = v.InferOutput<typeof LocationLinkResponse>;
