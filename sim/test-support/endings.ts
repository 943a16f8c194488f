/** How a session ends, as a central sees it. */
import { expect } from "vitest";
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import type { PeerReport } from "../../core/sec/errors.ts";
import type { Central } from "./central.ts";
import type { Stage } from "./stages.ts";

/** What the tag said in clear before the link ended. */
export async function lastWord(central: Central): Promise<PeerReport | undefined | string> {
  const message = await central.receive();
  if (message === undefined) return "nothing";
  if (message.type !== "ALERT" && message.type !== "EDHOC_ERROR") return message.type;
  return errorFrom(message.type, message.message).peer;
}

export const alerted = (name: StatusName) => ({ kind: "alert", status: STATUS[name] });
export const EDHOC_REFUSAL = { kind: "edhoc", error: { code: 1, text: "" } };

/** After a refusal the link ends, no keys work, and the display is unchanged. */
export async function expectEnd({ tag, world }: Stage, display: unknown = null): Promise<void> {
  expect(tag.snapshot().state).toBe("IDLE");
  world.advance(2_000);
  expect(tag.snapshot()).toMatchObject({ connected: false, display: { content: display } });
}
