import type { TaglatchErrorCode } from "../../sdk/index.ts";

/** What happened, and the one thing to do next. */
export interface ErrorText {
  readonly what: string;
  readonly next: string;
}

const AGAIN = "Please try again.";
const OPERATOR = "Please use a paper tag and let airline staff know.";
const SIGN_IN = "Go back to the start and find your trip again.";
const UPDATE = "Reload the page to get the newest version.";

/** Every code of every typed error of the SDK; a code without its sentences does not compile. */
export const errors: Record<TaglatchErrorCode, ErrorText> = {
  // The operation
  cancelled: {
    what: "Cancelled.",
    next: "Nothing was changed.",
  },
  invalid_request: {
    what: "Something in this request isn’t right.",
    next: "Check what you entered, then try again.",
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
    next: `${AGAIN} If it happens twice, show staff the code under Details.`,
  },

  // Bluetooth
  unsupported: {
    what: "This browser can’t connect to bag tags.",
    next: "Open this page in Chrome or Edge on Android, Windows, Mac or ChromeOS.",
  },
  insecure_context: {
    what: "This page wasn’t opened securely.",
    next: "Open it again with an address that starts with https.",
  },
  blocked_by_policy: {
    what: "Bluetooth is blocked by your organisation or in this browser’s settings.",
    next: "Allow it for this site in the settings. If you can’t, ask the person who looks after this device.",
  },
  bluetooth_off: {
    what: "Bluetooth is off, or this device has none.",
    next: "Turn it on in the settings, or use another device.",
  },
  bluetooth_unavailable: {
    what: "Bluetooth is off, or this browser may not use it.",
    next: "Turn it on in the settings. If it is on, ask the person who looks after this device.",
  },
  permission_refused: {
    what: "This page may not use Bluetooth.",
    next: "Allow nearby devices for this browser in the settings, then try again.",
  },
  needs_user_gesture: { what: "The list of tags opens only after a tap.", next: "Press the button again." },
  out_of_reach: {
    what: "The tag didn’t answer.",
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
    what: "That device isn’t a bag tag we know.",
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
    what: "This tag couldn’t prove that it’s genuine.",
    next: "Don’t use it for this trip, and have it checked.",
  },
  generation_refused: {
    what: "This tag offered an outdated connection.",
    next: "Don’t use it for this trip, and have it checked.",
  },
  outdated_table: {
    what: "This device still knows the tag from before its update.",
    next: "Turn Bluetooth off and on, then try again. If it happens twice, the tag needs a check.",
  },
  secure_session_failed: {
    what: "We couldn’t make a secure connection.",
    next: "Hold the tag closer and try again.",
  },
  client_refused: { what: "The tag didn’t accept this device.", next: SIGN_IN },
  token_refused: { what: "The tag didn’t accept the permission to write.", next: AGAIN },
  write_refused: {
    what: "The tag didn’t accept the label and still shows what it showed before.",
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
    what: "The tag gave an answer we don’t understand.",
    next: `${AGAIN} If it happens twice, the tag needs a check.`,
  },
  outcome_unknown: {
    what: "The connection broke while the tag was updating.",
    next: "Look at the tag. If it doesn’t show your destination, try again.",
  },

  // Custody proof
  custody_proof_cancelled: {
    what: "The tag is still locked to another trip.",
    next: "Ask its owner for the details or use a different tag.",
  },
  custody_proof_needed: {
    what: "This tag is locked to another trip.",
    next: "Enter that trip’s booking reference and surname to unlock it, or use a different tag.",
  },
  custody_proof_attempts_exceeded: {
    what: "No tries left for this tag.",
    next: "Use another tag. Or ask its owner, and try again in 15 minutes; they can still use it.",
  },
  tag_carries_other_bag: {
    what: "This tag is already used for another bag.",
    next: "Use another tag, or move this one.",
  },
  tag_shows_other_label: {
    what: "This tag shows someone else’s label.",
    next: "Use another tag, or ask whose it is before you overwrite it.",
  },
  custody_proof_required: {
    what: "This tag is locked to a trip that isn’t open here.",
    next: "If it’s yours, find that trip here first. Otherwise only its owner can do this.",
  },
  custody_proof_invalid: {
    what: "These details don’t match the trip on the tag.",
    next: "Check both fields and try again.",
  },
  device_locked: {
    what: "This tag was just locked to another trip.",
    next: "Use another tag, or unlock this one first.",
  },
  not_lock_holder: {
    what: "This tag belongs to another passenger’s trip.",
    next: "Only its owner or airline staff can clear it.",
  },
  device_lost: { what: "This tag was reported lost.", next: "Please hand it to airline staff." },
  too_many_attempts: { what: "Too many tries.", next: "Wait a few minutes, then try again." },
  too_many_requests: { what: "Too many requests.", next: "Wait a minute, then try again." },

  // Journey and bag
  journey_not_found: {
    what: "We can’t find this trip.",
    next: "Check the booking reference and the surname.",
  },
  airline_required: {
    what: "Several airlines have this booking reference.",
    next: "Choose yours. Your flight number starts with its letters.",
  },
  baggage_not_found: {
    what: "This bag is no longer part of the trip.",
    next: "Go back to your trip and choose the bag again.",
  },
  delegation_ended: {
    what: "This code is not valid, or no longer, or the permission has ended.",
    next: "Have a new code shown on the other phone.",
  },
  device_not_found: { what: "This tag is not registered here.", next: "Use another tag." },
  payload_mismatch: {
    what: "Your trip changed a moment ago.",
    next: "Go back to your trip, check the label and write it again.",
  },
  bag_limit: { what: "This trip already has its ten bags.", next: "Ask airline staff for help." },
  bag_refused: { what: "Your airline doesn’t accept this bag here.", next: "Please go to its desk." },
  invalid_bcbp_format: {
    what: "We can’t read this boarding pass.",
    next: "Enter the booking reference instead.",
  },
  invalid_bsm_format: {
    what: "We can’t read this baggage message.",
    next: "Correct it where it comes from.",
  },

  // Signing in
  unauthorized_client: { what: "This page isn’t set up to use the service.", next: OPERATOR },
  unauthorized_token: { what: "Your session has expired.", next: SIGN_IN },
  invalid_federated_token: {
    what: "The airline app couldn’t sign you in.",
    next: "Sign in again in the app.",
  },
  invalid_nonce: { what: "Signing in took too long.", next: AGAIN },
  invalid_attestation: {
    what: "We couldn’t recognise this device.",
    next: `${AGAIN} If it happens twice, update your browser.`,
  },
  invalid_credentials: {
    what: "User name or password is wrong.",
    next: "Enter both again, or ask the person who runs this kiosk.",
  },
  invalid_refresh_token: { what: "Your session has ended.", next: SIGN_IN },
  invalid_dpop_proof: {
    what: "The service doesn’t accept this device’s signature.",
    next: "Check that date and time are right, then try again.",
  },
  insufficient_scope: { what: "You can’t do this here.", next: "Ask airline staff for help." },

  // Service and network
  required_info_not_provided: { what: "Something is missing.", next: "Fill in every field, then try again." },
  stale_statement: {
    what: "This tag has been updated since.",
    next: "Hold it close and try again.",
  },
  stale_attachment: {
    what: "This tag has been updated since.",
    next: "You don’t need to do anything.",
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
  not_found: { what: "The service doesn’t know this request.", next: UPDATE },
  method_not_allowed: { what: "The page and the service don’t match.", next: UPDATE },
  payload_too_large: { what: "The request was too large.", next: UPDATE },
  unsupported_media_type: { what: "The page and the service don’t match.", next: UPDATE },
  internal_error: { what: "Something went wrong on our side.", next: "Try again in a minute." },
  service_unavailable: { what: "The service isn’t available right now.", next: "Try again in a minute." },
  network: {
    what: "There’s no connection to the service.",
    next: "Check that you’re online, then try again.",
  },
  service_timeout: { what: "The service took too long to answer.", next: AGAIN },
  never_confirmed: {
    what: "The airline got no report on this tag for two weeks.",
    next: "Write or clear the tag again.",
  },
  invalid_answer: { what: "The service gave an answer this page doesn’t understand.", next: UPDATE },

  // The installation
  configuration_unavailable: {
    what: "The page can’t reach the service.",
    next: "Check that you’re online, then try again.",
  },
  configuration_invalid: { what: "The settings of this page aren’t right.", next: OPERATOR },
  no_tag_roots: { what: "This page isn’t set up to trust any tag.", next: OPERATOR },
  no_client_key: { what: "This page isn’t set up to use the service.", next: OPERATOR },
  storage_unavailable: {
    what: "This browser doesn’t let the page store its key.",
    next: "Leave private browsing or allow storage, then try again.",
  },

  // Signing in with a passkey
  passkeys_unsupported: {
    what: "This browser can’t use passkeys here.",
    next: "Go on without one, or open this page in a newer browser.",
  },
  passkey_refused: { what: "Your passkey couldn’t be used.", next: "Try again, or go on without one." },
};
