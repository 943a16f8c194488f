/** The public object, put together of its parts. */
import { fromUtf8 } from "../core/encoding/bytes.ts";
import { PROFILE } from "../core/gatt/profile.ts";
import { decodeBattery } from "../core/gatt/values.ts";
import { neverCancelled } from "./abort.ts";
import { assemble } from "./assembly.ts";
import { OperationError } from "./errors.ts";
import { clearTag } from "./flows/clear.ts";
import { asResult } from "./flows/operation.ts";
import { tagsApi } from "./flows/tags.ts";
import { transferTag } from "./flows/transfer.ts";
import { sessionFacade } from "./service/session-facade.ts";
import { pickedTag } from "./tag/links.ts";
import { decoded } from "./tag/tag.ts";
import type { Taglatch, TaglatchConfig } from "./types.ts";

/** The client. Nothing is loaded, asked or stored before the first call. */
export function createTaglatch(config: TaglatchConfig): Taglatch {
  const { operations, links, tagNames, context, api, outbox, session, records, logins, passkey } =
    assemble(config);
  const picked = async (deviceId: string, signal: AbortSignal, onRetry: () => void) => {
    const link = await links.find(deviceId);
    return tagNames.settle(pickedTag(link, await links.reach(deviceId, false, signal, onRetry)));
  };
  const readFrom = async (deviceId: string, uuid: string, signal: AbortSignal) => {
    if (operations.isBusy(deviceId)) throw new OperationError("busy", "an operation runs on this tag");
    const tag = await links.reach(deviceId, false, signal, () => undefined);
    return tag.connection.read(uuid, signal);
  };
  return {
    pickTag: (options = {}) =>
      operations.start("pick", undefined, options, async ({ progress, signal }) => {
        const link = await links.choose(options.nameSuffix, signal);
        // What a transfer will need, in advance; if it fails, it fails again there and is told there.
        context.prepare(neverCancelled()).catch(() => undefined);
        progress.enter("connect");
        const open = await links.open(link, signal, () => progress.retrying("connect_failed"));
        return tagNames.settle(pickedTag(link, open));
      }),
    rememberedTags: async () => {
      const tags = await links.remembered();
      return tagNames.named(tags.map(({ deviceId, name }) => ({ deviceId, name })));
    },
    connect: (deviceId, options = {}) =>
      operations.start("connect", deviceId, options, ({ progress, signal }) => {
        progress.enter("connect");
        return picked(deviceId, signal, () => progress.retrying("connect_failed"));
      }),
    disconnect: async (deviceId) => links.close(deviceId),
    readBattery: (deviceId, options) =>
      asResult(options, async (signal) =>
        decoded(decodeBattery, await readFrom(deviceId, PROFILE.battery.characteristics.LEVEL.uuid, signal)),
      ),
    readFirmware: (deviceId, options) =>
      asResult(options, async (signal) =>
        decoded(
          fromUtf8,
          await readFrom(deviceId, PROFILE.deviceInformation.characteristics.FIRMWARE.uuid, signal),
        ),
      ),
    transferTag: (request, collector, options = {}) =>
      operations.start("transfer", request.deviceId, options, (run) =>
        transferTag(context, run, request, collector),
      ),
    clearTag: (request, options = {}) =>
      operations.start("clear", request.deviceId, options, (run) => clearTag(context, run, request)),
    journeys: {
      fromRecordLocator: (recordLocator, surname, options) =>
        asResult(options, (signal) =>
          api.call("journeyFromRecordLocator", { recordLocator, surname }, { signal }),
        ),
      fromBcbp: (scanData, { airline, ...options } = {}) =>
        asResult(options, (signal) =>
          api.call(
            "journeyFromBcbp",
            // Scanners that type end with a line end.
            { scanData: scanData.replace(/[\r\n]+$/, ""), ...(airline === undefined ? {} : { airline }) },
            { signal },
          ),
        ),
      addBag: (journeyId, { lpn, slotNumber, ...options } = {}) =>
        asResult(options, (signal) =>
          api.call(
            "baggageTag",
            { ...(lpn === undefined ? {} : { lpn }), ...(slotNumber === undefined ? {} : { slotNumber }) },
            { signal, params: { journeyId }, idempotencyKey: crypto.randomUUID() },
          ),
        ),
      list: (options) =>
        asResult(options, async (signal) => (await api.call("journeys", {}, { signal })).journeys),
      get: (journeyId, options) =>
        asResult(options, (signal) => api.call("journey", {}, { signal, params: { journeyId } })),
    },
    tags: tagsApi(api),
    session: sessionFacade({
      session,
      records,
      logins,
      outbox,
      passkey,
      prepare: (signal) => context.prepare(signal),
    }),
    outbox: {
      entries: () => outbox.entries(),
      flush: (options) => asResult(options, (signal) => outbox.flush(signal)),
      subscribe: (listener) => outbox.subscribe(listener),
    },
    diagnostics: {
      runs: () => operations.runs(),
      subscribe: (listener) => operations.ended.add(listener),
    },
  };
}
