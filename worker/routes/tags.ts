import { ApiError } from "../errors.ts";
import type { Routes } from "../route.ts";

const notBuilt = async (): Promise<never> => {
  throw new ApiError("service_unavailable", { reason: "not built" });
};

/** Endpoints 8–12. */
export const tagRoutes = {
  ebtAuthorization: notBuilt,
  deviceAttachment: notBuilt,
  ebtLookup: notBuilt,
  ebtCustodyProof: notBuilt,
  ebtUnlock: notBuilt,
} satisfies Partial<Routes>;
