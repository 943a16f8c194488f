import { ApiError } from "../errors.ts";
import type { Routes } from "../route.ts";
import { proveCustody } from "../services/custody-proof.ts";

const notBuilt = async (): Promise<never> => {
  throw new ApiError("service_unavailable", { reason: "not built" });
};

/** Endpoints 8–12. */
export const tagRoutes = {
  ebtAuthorization: notBuilt,
  deviceAttachment: notBuilt,
  ebtLookup: notBuilt,
  ebtCustodyProof: proveCustody,
  ebtUnlock: notBuilt,
} satisfies Partial<Routes>;
