import type { TaglatchErrorCode } from "../../sdk/index.ts";

/** What happened, and the one thing to do next. */
export interface ErrorText {
  readonly what: string;
  readonly next: string;
}

const AGAIN = "Please try again.";
const OPERATOR = "Please use a paper tag and tell airline staff.";
const SIGN_IN = "Go back to the start and find your journey again.";
const UPDATE = "Reload the page to get the newest version.";

/** Every code of every typed error of the SDK; a code without its sentences does not compile. */
export const errors: Record<TaglatchErrorCode, ErrorText> = {
  // The operation
  cancelled: {
    what: "You stopped before anything changed.",
    next: "Start again whenever you are ready.",
  },
  invalid_request: {
    what: "Something in this request is not right.",
    next: "Check what you typed, then try again.",
  },
  busy: { what: "This tag is already being worked on.", next: "Wait for that to finish, then try again." },
  unknown_device: { what: "This page has lost its connection to the tag.", next: "Choose your tag again." },
  outbox_not_empty: {
    what: "One of your tags is still being confirmed.",
    next: "Stay online for a moment, then sign out.",
  },
  clock_wrong: {
    what: "The date or time of this device seems to be wrong.",
    next: "Set both to automatic in the settings, then try again.",
  },
  internal: {
    what: "Something unexpected went wrong.",
    next: `${AGAIN} If it happens twice, show staff the code below.`,
  },

  // Bluetooth
  unsupported: {
    what: "This browser cannot talk to bag tags.",
    next: "Open this page in Chrome or Edge on Android, Windows, Mac or ChromeOS.",
  },
  insecure_context: {
    what: "This page was not opened securely.",
    next: "Open it again with an address that starts with https.",
  },
  blocked_by_policy: {
    what: "Bluetooth is blocked by your organisation or in this browser’s settings.",
    next: "Allow it for this site in the settings. If you cannot, ask whoever looks after this device.",
  },
  bluetooth_off: {
    what: "Bluetooth is off, or this device has none.",
    next: "Turn it on in the settings, or use another device.",
  },
  bluetooth_unavailable: {
    what: "Bluetooth is off, or this browser may not use it.",
    next: "Turn it on in the settings. If it is on, ask whoever looks after this device.",
  },
  permission_refused: {
    what: "This page may not use Bluetooth.",
    next: "Allow nearby devices for this browser in the settings, then try again.",
  },
  needs_user_gesture: { what: "The list of tags opens only after a tap.", next: "Press the button again." },
  out_of_reach: {
    what: "The tag did not answer.",
    next: "Wake the tag with its button, hold it next to this device and try again.",
  },
  link_lost: {
    what: "The connection to the tag broke.",
    next: "Hold the tag next to this device and try again.",
  },
  timeout: {
    what: "The tag took too long to answer.",
    next: "Hold the tag next to this device and try again.",
  },
  not_a_tag: {
    what: "That device is not a bag tag we know.",
    next: "Choose the one whose name starts with EBT.",
  },
  operation_refused: {
    what: "The tag refused to work with this device.",
    next: `${AGAIN} If it happens twice, the tag needs a check.`,
  },
  link_busy: { what: "Bluetooth is busy on this device.", next: "Wait a few seconds, then try again." },

  // The tag
  wrong_tag: {
    what: "That is a different tag from the one you chose.",
    next: "Compare the number printed on the tag and choose again.",
  },
  untrusted_tag: {
    what: "This tag could not prove that it is genuine.",
    next: "Do not use it for this trip, and have it checked.",
  },
  generation_refused: {
    what: "This tag offered an outdated connection.",
    next: "Do not use it for this trip, and have it checked.",
  },
  secure_session_failed: {
    what: "A secure connection could not be made.",
    next: "Hold the tag closer and try again.",
  },
  client_refused: { what: "The tag did not accept this device.", next: SIGN_IN },
  token_refused: { what: "The tag did not accept the permission to write.", next: AGAIN },
  write_refused: {
    what: "The tag did not accept the label. It still shows what it showed before.",
    next: AGAIN,
  },
  low_battery: {
    what: "The tag’s battery is too low to change its display.",
    next: "Charge it or change the battery.",
  },
  tag_busy: {
    what: "The tag is busy, or waits for its button.",
    next: "Press the tag’s button, wait a few seconds and try again.",
  },
  lockout: {
    what: "The tag has locked itself after several refused tries.",
    next: "Wait five minutes, then try again.",
  },
  protocol: {
    what: "The tag gave an answer that makes no sense.",
    next: `${AGAIN} If it happens twice, the tag needs a check.`,
  },
  outcome_unknown: {
    what: "The connection broke while the display was changing.",
    next: "Look at the tag. If it does not show your destination, try again.",
  },

  // Custody proof
  custody_proof_cancelled: {
    what: "The locked tag stays with its other journey.",
    next: "Ask the passenger it belongs to for the details, or take another tag.",
  },
  custody_proof_needed: {
    what: "This tag is locked to another journey.",
    next: "Unlock it with the details of that journey, or take another tag.",
  },
  custody_proof_attempts_exceeded: {
    what: "There are no tries left for this tag.",
    next: "Take another tag. Or ask the passenger it belongs to, and try again in 15 minutes; they can still use it.",
  },
  tag_carries_other_bag: {
    what: "This tag carries another bag.",
    next: "Take another tag, or move this one.",
  },
  tag_shows_other_label: {
    what: "This tag shows someone else’s label.",
    next: "Take another tag, or ask whose it is before you write over it.",
  },
  custody_proof_required: {
    what: "This tag is locked to a journey that is not open here.",
    next: "If it is yours, find that journey here first. Otherwise only its passenger can do this.",
  },
  custody_proof_invalid: {
    what: "These details do not match the journey on the tag.",
    next: "Check both fields and try again.",
  },
  device_locked: {
    what: "Another journey has just taken this tag.",
    next: "Take another tag, or unlock this one first.",
  },
  not_lock_holder: {
    what: "This tag belongs to another passenger’s journey.",
    next: "Only that passenger or airline staff can clear it.",
  },
  device_lost: { what: "This tag was reported lost.", next: "Please hand it to airline staff." },
  too_many_attempts: { what: "There were too many tries.", next: "Wait a few minutes, then try again." },
  too_many_requests: { what: "That was a lot at once.", next: "Wait a minute, then try again." },

  // Journey and bag
  journey_not_found: {
    what: "We cannot find this journey.",
    next: "Check the booking reference and the surname.",
  },
  airline_required: {
    what: "Several airlines have this booking reference.",
    next: "Choose yours. Your flight number starts with its letters.",
  },
  baggage_not_found: {
    what: "This bag is no longer part of the journey.",
    next: "Go back to your journey and choose the bag again.",
  },
  delegation_ended: {
    what: "This code is not valid, or no longer, or the permission has ended.",
    next: "Have a new code shown on the other phone.",
  },
  device_not_found: { what: "This tag is not registered here.", next: "Use another tag." },
  payload_mismatch: {
    what: "Your journey changed a moment ago.",
    next: "Go back to your journey, check the label and write it again.",
  },
  bag_limit: { what: "This journey already has its ten bags.", next: "Ask airline staff for help." },
  invalid_bcbp_format: {
    what: "This boarding pass cannot be read.",
    next: "Type the booking reference instead.",
  },
  invalid_bsm_format: {
    what: "This baggage message cannot be read.",
    next: "Correct it where it comes from.",
  },

  // Signing in
  unauthorized_client: { what: "This page is not set up to use the service.", next: OPERATOR },
  unauthorized_token: { what: "Your visit has timed out.", next: SIGN_IN },
  invalid_federated_token: {
    what: "The airline app could not sign you in.",
    next: "Sign in again in the app.",
  },
  invalid_nonce: { what: "Signing in took too long.", next: AGAIN },
  invalid_attestation: {
    what: "This device could not be recognised.",
    next: `${AGAIN} If it happens twice, update your browser.`,
  },
  invalid_credentials: {
    what: "User name or password is wrong.",
    next: "Type both again, or ask whoever runs this kiosk.",
  },
  invalid_refresh_token: { what: "Your visit has ended.", next: SIGN_IN },
  invalid_dpop_proof: {
    what: "The service does not accept this device’s signature.",
    next: "Check that date and time are right, then try again.",
  },
  insufficient_scope: { what: "You are not allowed to do this here.", next: "Ask airline staff for help." },

  // Service and network
  required_info_not_provided: { what: "Something is missing.", next: "Fill in every field, then try again." },
  stale_statement: {
    what: "The tag has been written again meanwhile.",
    next: "Hold it close and try again.",
  },
  stale_attachment: {
    what: "The tag was attached again meanwhile.",
    next: "There is nothing to do: the newer attachment stands.",
  },
  gatt_version_refused: {
    what: "This tag must be written over its secure connection.",
    next: "Hold it closer and try again.",
  },
  idempotency_in_flight: {
    what: "The same request is still being worked on.",
    next: "Wait a second, then try again.",
  },
  idempotency_key_reused: { what: "The page repeated a request with other content.", next: UPDATE },
  not_found: { what: "The service does not know this request.", next: UPDATE },
  method_not_allowed: { what: "The page and the service do not match.", next: UPDATE },
  payload_too_large: { what: "The request was too large.", next: UPDATE },
  unsupported_media_type: { what: "The page and the service do not match.", next: UPDATE },
  internal_error: { what: "The service made a mistake.", next: "Try again in a minute." },
  service_unavailable: { what: "The service is not available right now.", next: "Try again in a minute." },
  network: {
    what: "There is no connection to the service.",
    next: "Check that you are online, then try again.",
  },
  service_timeout: { what: "The service took too long to answer.", next: AGAIN },
  never_confirmed: {
    what: "The airline got no report on this tag for two weeks.",
    next: "Write or clear the tag again.",
  },
  invalid_answer: { what: "The service gave an answer this page does not understand.", next: UPDATE },

  // The installation
  configuration_unavailable: {
    what: "The page cannot reach the service.",
    next: "Check that you are online, then try again.",
  },
  configuration_invalid: { what: "The settings of this page are not right.", next: OPERATOR },
  no_tag_roots: { what: "This page is not set up to trust any tag.", next: OPERATOR },
  no_client_key: { what: "This page is not set up to use the service.", next: OPERATOR },
  storage_unavailable: {
    what: "This browser does not let the page store its key.",
    next: "Leave private browsing or allow storage, then try again.",
  },

  // Signing in with a passkey
  passkeys_unsupported: {
    what: "This browser cannot use passkeys here.",
    next: "Go on without one, or open this page in a newer browser.",
  },
  passkey_refused: { what: "Your passkey could not be used.", next: "Try again, or go on without one." },
};
