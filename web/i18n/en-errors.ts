import type { TaglatchErrorCode } from "../../sdk/index.ts";
import { text } from "./forms.ts";

const AGAIN = "Please try again.";
const OPERATOR = "Please use a paper tag and let airline staff know.";
const SIGN_IN = "Go back to the start and find your trip again.";
const UPDATE = "Reload the page to get the newest version.";
const CLOSER = "Hold the tag next to this device and try again.";
const TWICE = `${AGAIN} If it happens twice, the tag needs a check.`;
const CHECKED = "Don’t use it for this trip, and have it checked.";
const HELP = "Ask airline staff for help.";
const MINUTE = "Try again in a minute.";
const ONLINE = "Check that you’re online, then try again.";

/** Every code of every typed error of the SDK; a code without its sentences does not compile. */
export const errors: Record<TaglatchErrorCode, ReturnType<typeof text>> = {
  // The operation
  cancelled: text("Cancelled.", "Nothing was changed."),
  invalid_request: text("Something in this request isn’t right.", "Check what you entered, then try again."),
  busy: text("This tag is already being worked on.", "Wait for that to finish, then try again."),
  unknown_device: text("This page has lost its connection to the tag.", "Choose your tag again."),
  outbox_not_empty: text(
    "One of your tags is still being confirmed.",
    "Stay online for a moment, then sign out.",
  ),
  clock_wrong: text(
    "The date or time of this device seems to be wrong.",
    "Set both to automatic in the settings, then try again.",
  ),
  internal: text(
    "Something unexpected went wrong.",
    `${AGAIN} If it happens twice, show staff the code under Details.`,
  ),

  // Bluetooth
  unsupported: text(
    "This browser can’t connect to bag tags.",
    "Open this page in Chrome or Edge on Android, Windows, Mac or ChromeOS.",
  ),
  insecure_context: text(
    "This page wasn’t opened securely.",
    "Open it again with an address that starts with https.",
  ),
  blocked_by_policy: text(
    "Bluetooth is blocked by your organisation or in this browser’s settings.",
    "Allow it for this site in the settings. If you can’t, ask the person who looks after this device.",
  ),
  bluetooth_off: text(
    "Bluetooth is off, or this device has none.",
    "Turn it on in the settings, or use another device.",
  ),
  bluetooth_unavailable: text(
    "Bluetooth is off, or this browser may not use it.",
    "Turn it on in the settings. If it is on, ask the person who looks after this device.",
  ),
  permission_refused: text(
    "This page may not use Bluetooth.",
    "Allow nearby devices for this browser in the settings, then try again.",
  ),
  needs_user_gesture: text("The list of tags opens only after a tap.", "Press the button again."),
  out_of_reach: text(
    "The tag didn’t answer.",
    "Wake the tag with its button, hold it next to this device and try again.",
  ),
  link_lost: text("The connection to the tag broke.", CLOSER),
  timeout: text("The tag took too long to answer.", CLOSER),
  not_a_tag: text("That device isn’t a bag tag we know.", "Choose the one whose name starts with EBT."),
  operation_refused: text("The tag refused to work with this device.", TWICE),
  link_busy: text("Bluetooth is busy on this device.", "Wait a few seconds, then try again."),

  // The tag
  wrong_tag: text(
    "That is a different tag from the one you chose.",
    "Compare the number printed on the tag and choose again.",
  ),
  untrusted_tag: text("This tag couldn’t prove that it’s genuine.", CHECKED),
  generation_refused: text("This tag offered an outdated connection.", CHECKED),
  outdated_table: text(
    "This device still knows the tag from before its update.",
    "Turn Bluetooth off and on, then try again. If it happens twice, the tag needs a check.",
  ),
  secure_session_failed: text("We couldn’t make a secure connection.", "Hold the tag closer and try again."),
  client_refused: text("The tag didn’t accept this device.", SIGN_IN),
  token_refused: text("The tag didn’t accept the permission to write.", AGAIN),
  write_refused: text("The tag didn’t accept the label and still shows what it showed before.", AGAIN),
  low_battery: text(
    "The tag’s battery is too low to change its display.",
    "Charge it or change the battery.",
  ),
  tag_busy: text(
    "The tag is busy, or waits for its button.",
    "Press the tag’s button, wait a few seconds and try again.",
  ),
  lockout: text(
    "The tag has locked itself after several refused tries.",
    "Wait five minutes, then try again.",
  ),
  protocol: text("The tag gave an answer we don’t understand.", TWICE),
  outcome_unknown: text(
    "The connection broke while the tag was updating.",
    "Look at the tag. If it doesn’t show your destination, try again.",
  ),

  // Custody proof
  custody_proof_cancelled: text(
    "The tag is still locked to another trip.",
    "Ask its owner for the details or use a different tag.",
  ),
  custody_proof_needed: text(
    "This tag is locked to another trip.",
    "Enter that trip’s booking reference and surname to unlock it, or use a different tag.",
  ),
  custody_proof_attempts_exceeded: text(
    "No tries left for this tag.",
    "Use another tag. Or ask its owner, and try again in 15 minutes; they can still use it.",
  ),
  tag_carries_other_bag: text(
    "This tag is already used for another bag.",
    "Use another tag, or move this one.",
  ),
  tag_shows_other_label: text(
    "This tag shows someone else’s label.",
    "Use another tag, or ask whose it is before you overwrite it.",
  ),
  custody_proof_required: text(
    "This tag is locked to a trip that isn’t open here.",
    "If it’s yours, find that trip here first. Otherwise only its owner can do this.",
  ),
  custody_proof_invalid: text(
    "These details don’t match the trip on the tag.",
    "Check both fields and try again.",
  ),
  device_locked: text(
    "This tag was just locked to another trip.",
    "Use another tag, or unlock this one first.",
  ),
  not_lock_holder: text(
    "This tag belongs to another passenger’s trip.",
    "Only its owner or airline staff can clear it.",
  ),
  device_lost: text("This tag was reported lost.", "Please hand it to airline staff."),
  too_many_attempts: text("Too many tries.", "Wait a few minutes, then try again."),
  too_many_requests: text("Too many requests.", "Wait a minute, then try again."),

  // Journey and bag
  journey_not_found: text("We can’t find this trip.", "Check the booking reference and the surname."),
  airline_required: text(
    "Several airlines have this booking reference.",
    "Choose yours. Your flight number starts with its letters.",
  ),
  baggage_not_found: text(
    "This bag is no longer part of the trip.",
    "Go back to your trip and choose the bag again.",
  ),
  delegation_ended: text(
    "This code is not valid, or no longer, or the permission has ended.",
    "Have a new code shown on the other phone.",
  ),
  device_not_found: text("This tag is not registered here.", "Use another tag."),
  payload_mismatch: text(
    "Your trip changed a moment ago.",
    "Go back to your trip, check the label and write it again.",
  ),
  bag_limit: text("This trip already has its ten bags.", HELP),
  bag_refused: text("Your airline doesn’t accept this bag here.", "Please go to its desk."),
  invalid_bcbp_format: text("We can’t read this boarding pass.", "Enter the booking reference instead."),
  invalid_bsm_format: text("We can’t read this baggage message.", "Correct it where it comes from."),

  // Signing in
  unauthorized_client: text("This page isn’t set up to use the service.", OPERATOR),
  unauthorized_token: text("Your session has expired.", SIGN_IN),
  invalid_federated_token: text("The airline app couldn’t sign you in.", "Sign in again in the app."),
  invalid_nonce: text("Signing in took too long.", AGAIN),
  invalid_attestation: text(
    "We couldn’t recognise this device.",
    `${AGAIN} If it happens twice, update your browser.`,
  ),
  invalid_credentials: text(
    "User name or password is wrong.",
    "Enter both again, or ask the person who runs this kiosk.",
  ),
  invalid_refresh_token: text("Your session has ended.", SIGN_IN),
  invalid_dpop_proof: text(
    "The service doesn’t accept this device’s signature.",
    "Check that date and time are right, then try again.",
  ),
  insufficient_scope: text("You can’t do this here.", HELP),

  // Service and network
  required_info_not_provided: text("Something is missing.", "Fill in every field, then try again."),
  stale_statement: text("This tag has been updated since.", "Hold it close and try again."),
  stale_attachment: text("This tag has been updated since.", "You don’t need to do anything."),
  gatt_version_refused: text(
    "This tag must be written over its secure connection.",
    "Hold it closer and try again.",
  ),
  idempotency_in_flight: text("The same request is still being worked on.", "Wait a second, then try again."),
  idempotency_key_reused: text("The page repeated a request with other content.", UPDATE),
  not_found: text("The service doesn’t know this request.", UPDATE),
  method_not_allowed: text("The page and the service don’t match.", UPDATE),
  payload_too_large: text("The request was too large.", UPDATE),
  unsupported_media_type: text("The page and the service don’t match.", UPDATE),
  internal_error: text("Something went wrong on our side.", MINUTE),
  service_unavailable: text("The service isn’t available right now.", MINUTE),
  network: text("There’s no connection to the service.", ONLINE),
  service_timeout: text("The service took too long to answer.", AGAIN),
  never_confirmed: text(
    "The airline got no report on this tag for two weeks.",
    "Write or clear the tag again.",
  ),
  invalid_answer: text("The service gave an answer this page doesn’t understand.", UPDATE),

  // The installation
  configuration_unavailable: text("The page can’t reach the service.", ONLINE),
  configuration_invalid: text("The settings of this page aren’t right.", OPERATOR),
  no_tag_roots: text("This page isn’t set up to trust any tag.", OPERATOR),
  no_client_key: text("This page isn’t set up to use the service.", OPERATOR),
  storage_unavailable: text(
    "This browser doesn’t let the page store its key.",
    "Leave private browsing or allow storage, then try again.",
  ),

  // Signing in with a passkey
  passkeys_unsupported: text(
    "This browser can’t use passkeys here.",
    "Go on without one, or open this page in a newer browser.",
  ),
  passkey_refused: text("Your passkey couldn’t be used.", "Try again, or go on without one."),
};
