/**
 * An airline's own page: its traveller is already signed in, and puts the first bag on a tag. `?service=` is
 * the origin of the Taglatch service, `?virtual=EBT-0001` brings virtual tags and chooses one of them.
 */
import { createTaglatch, type Result } from "@taglatch/sdk";

const search = new URLSearchParams(location.search);
const baseUrl = search.get("service") ?? "http://localhost:8787";
const say = (where: string, text: string) => document.querySelector(where)?.replaceChildren(text);

if (search.has("virtual")) {
  const { installVirtualTags } = await import("@taglatch/sdk/testing");
  const virtual = await installVirtualTags({ baseUrl });
  virtual.choice = virtual.tags.find(({ name }) => name === search.get("virtual")) ?? null;
  for (const tag of virtual.tags) {
    tag.observe((event) => {
      if (event.type === "display" && event.content)
        say("#paper", `${tag.name}: ${event.content.licencePlate}`);
    });
  }
}

const taglatch = createTaglatch({
  baseUrl,
  // Called if the tag is still locked to another journey; a real page opens a dialog.
  custodyProofCollector: { collect: async () => null },
});

/** The value, or the error for the caller that catches it: this page shows its code. */
function orThrow<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw result.error;
}

async function putFirstBagOnTag(): Promise<string> {
  // Comes first, while the tap still counts: the browser's chooser.
  const tag = orThrow(await taglatch.pickTag());
  const [journey] = orThrow(await taglatch.journeys.list());
  const [bag] = journey?.baggage ?? [];
  if (!journey || !bag) return "no bag";
  const { deviceId, uniqueDeviceId, name } = tag;
  const request = { deviceId, uniqueDeviceId, journeyId: journey.journeyId, baggageId: bag.baggageId };
  orThrow(await taglatch.transferTag(request));
  return `written to ${name}`;
}

// The airline's own server signs a token for the traveller who is signed in there.
const token = await (await fetch("/taglatch-token")).text();
say("output", orThrow(await taglatch.session.loginFederated(token)).method);
document.querySelector("button")?.addEventListener("click", async () => {
  say("output", await putFirstBagOnTag().catch(({ code }) => `failed: ${code}`));
});
