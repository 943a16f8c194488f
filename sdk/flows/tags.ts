import type { StaffApi, TagsApi } from "../api.ts";
import type { Api } from "../service/session.ts";
import { asResult } from "./operation.ts";

/** The locks of tags, as far as the service can report and change them without a radio. */

export const tagsApi = (api: Api): Omit<TagsApi, "release"> => ({
  lookUp: (uniqueDeviceId, options) =>
    asResult(options, (signal) => api.call("ebtLookup", { uniqueDeviceId }, { signal })),
  markLost: (uniqueDeviceId, lost, options) =>
    asResult(options, (signal) =>
      api.call(
        "deviceLoss",
        { uniqueDeviceId, lost, ...(options?.staff && { staff: options.staff }) },
        { signal },
      ),
    ),
  trace: (uniqueDeviceId, options) =>
    asResult(options, (signal) => api.call("bagTrace", { uniqueDeviceId }, { signal })),
  changeTrace: (uniqueDeviceId, change, options) =>
    asResult(options, (signal) => api.call("bagTraceChange", { uniqueDeviceId, ...change }, { signal })),
  traced: ({ uniqueDeviceId, cursor, ...options } = {}) =>
    asResult(options, (signal) =>
      api.call(
        "tracedBags",
        { ...(uniqueDeviceId && { uniqueDeviceId }), ...(cursor && { cursor }) },
        { signal },
      ),
    ),
  openLocation: (uniqueDeviceId, options) =>
    asResult(options, (signal) => api.call("locationLink", { uniqueDeviceId }, { signal })),
});

/** The member of staff at a shared device. */

export const staffApi = (api: Api): StaffApi => ({
  isPinRequired: (options) =>
    asResult(options, async (signal) => (await api.call("staffCheck", {}, { signal })).pinRequired),
  check: (staff, purpose, options) =>
    asResult(options, async (signal) => {
      await api.call("staffCheck", { staff, purpose }, { signal });
    }),
});
