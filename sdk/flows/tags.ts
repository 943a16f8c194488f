/** The locks of tags, as far as the service can report and change them without a radio. */

import type { TagsApi } from "../api.ts";
import type { Api } from "../service/session.ts";
import { asResult } from "./operation.ts";

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
