/**
 * An app for iOS and Android: a guest puts the first bag of a booking on a tag. In a browser it runs over the plugin's own half
 * for browsers: `?service=` is the origin of the service, `?virtual=EBT-0001` brings virtual tags and chooses one of them.
 */
import { BleClient } from "@capacitor-community/bluetooth-le";
import { createTaglatch, type ProgressEvent } from "@taglatch/sdk";
import { capacitorRadio } from "@taglatch/sdk/capacitor";

const search = new URLSearchParams(location.search);
const baseUrl = search.get("service") ?? "http://localhost:8787";
const say = (text: string) => document.querySelector("output")?.replaceChildren(text);

if (search.has("virtual")) {
  const { installVirtualTags } = await import("@taglatch/sdk/testing");
  const virtual = await installVirtualTags({ baseUrl });
  virtual.choice = virtual.tags.find(({ name }) => name === search.get("virtual")) ?? null;
}

/** Ids of tags chosen before: they connect without the list of tags. */
const known = (): string[] => JSON.parse(localStorage.getItem("tags") ?? "[]");
const remember = (deviceId: string) =>
  localStorage.setItem(
    "tags",
    JSON.stringify([deviceId, ...known().filter((id) => id !== deviceId)].slice(0, 9)),
  );

const taglatch = createTaglatch({
  baseUrl,
  radio: capacitorRadio(BleClient, { deviceIds: known }),
  // Dialogs of the system's own; a real app has its own.
  custodyProofCollector: {
    collect: async ({ hints }) => {
      const recordLocator = prompt(`This tag is locked. Its record locator, ${hints.maskedRecordLocator}?`);
      const surname = recordLocator && prompt(`Surname, ${hints.maskedSurname}?`);
      return recordLocator && surname ? { recordLocator, surname } : null;
    },
  },
  onOtherLabel: () => (confirm("This tag shows another label. Replace it?") ? "replace" : "keep"),
});

async function putFirstBagOnTag(recordLocator: string, surname: string): Promise<string> {
  const tag = await taglatch.pickTag();
  if (!tag.ok) return explain(tag.error.code);
  remember(tag.value.deviceId);
  const journey = await taglatch.journeys.fromRecordLocator(recordLocator, surname);
  if (!journey.ok) return explain(journey.error.code);
  const { journeyId, baggage } = journey.value;
  if (baggage[0] === undefined) return "This booking has no bag.";
  const request = { ...tag.value, journeyId, baggageId: baggage[0].baggageId };
  const onProgress = (event: ProgressEvent) => "phase" in event && say(`${event.phase}…`);
  const result = await taglatch.transferTag(request, undefined, { onProgress });
  return result.ok ? `Written to ${tag.value.name}` : explain(result.error.code);
}

/** A real app has a sentence for every code: docs/errors.md. */
const explain = (code: string) =>
  ({
    cancelled: "",
    bluetooth_off: "Switch Bluetooth on.",
    permission_refused: "Allow Bluetooth for this app in the settings.",
    out_of_reach: "Hold the tag near, and try again.",
  })[code] ?? `It did not work: ${code}`;

document.querySelector("form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(event.target as HTMLFormElement);
  say(await putFirstBagOnTag(String(given.get("recordLocator")), String(given.get("surname"))));
});
document.querySelector("button")?.removeAttribute("disabled");

// The system suspends an app in the background: what could not be reported then is reported on its return.
const report = () => void taglatch.outbox.flush({ due: true });
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && report());
addEventListener("online", report);
report();
