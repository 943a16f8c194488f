import { ServiceError, type TaglatchError } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import { lackingBrowser } from "../state/browser.ts";

/** The one thing to do next: shown, and spoken. */
export function nextOf(error: TaglatchError, t: I18n["t"]): string {
  const lacking = error.code === "unsupported" ? lackingBrowser(navigator) : undefined;
  if (lacking) return t(`passenger.unsupported.${lacking}`);
  const seconds = error instanceof ServiceError ? error.retryAfter : undefined;
  const waits = error.code === "too_many_attempts" || error.code === "too_many_requests";
  if (waits && seconds !== undefined) return t("error.waitMinutes", Math.ceil(seconds / 60));
  return t(`errors.${error.code}.next`);
}
