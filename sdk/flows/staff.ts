/** The member of staff at a shared device. */
import type { StaffApi } from "../api.ts";
import type { Api } from "../service/session.ts";
import { asResult } from "./operation.ts";

export const staffApi = (api: Api): StaffApi => ({
  isPinRequired: (options) =>
    asResult(options, async (signal) => (await api.call("staffCheck", {}, { signal })).pinRequired),
  check: (staff, purpose, options) =>
    asResult(options, async (signal) => {
      await api.call("staffCheck", { staff, purpose }, { signal });
    }),
});
