import { toBase64Url } from "../../core/encoding/bytes.ts";
import {
  type AssertionChanges,
  assertion,
  type Passkey,
  type RegistrationChanges,
  registration,
} from "./passkey.ts";
import { platformLogin } from "./platform-login.ts";
import { credentialsNamed } from "./rows.ts";
import type { TestService } from "./service.ts";

/** Logins with the passkey of the test that runs, at the service of its file, and what is stored of it. */
export const passkeyCeremonies = (service: () => TestService, passkey: () => Passkey) => ({
  register: (changes: RegistrationChanges = {}) =>
    platformLogin(service(), (occasion) => registration(passkey(), occasion, changes)),
  assert: (changes: AssertionChanges = {}) =>
    platformLogin(service(), (occasion) => assertion(passkey(), occasion, changes)),
  stored: () => credentialsNamed(service(), toBase64Url(passkey().id)),
});
