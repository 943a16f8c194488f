import { plural } from "./forms.ts";

/**
 * English of the passenger's screens after the first, loaded with them. The other languages get their types
 * from it: see dictionary.ts.
 */
export const passenger = {
  scan: {
    title: "Scan your boarding pass",
    lead: "The camera reads the square or striped code on your boarding pass, on paper or on another screen.",
    privacy:
      "Your browser now asks whether this page may use the camera. Pictures stay on this device; only the text of the code is sent, to find your journey.",
    open: "Open the camera",
    opening: "Opening the camera…",
    picture: "What the camera sees",
    aim: "Hold the whole code inside the frame.",
    searching: "Looking for a code…",
    slow: "Nothing yet? Move closer, avoid reflections, or choose a photo.",
    finding: "Code read. Finding your journey…",
    lightOn: "Light on",
    lightOff: "Light off",
    stop: "Close the camera",
    photo: "Choose a photo",
    readingPhoto: "Reading the photo…",
    type: "Type the booking reference instead",
    again: "Scan again",
  },
  /** Why no code could be read: what happened, and the one thing to do next. */
  camera: {
    refused: {
      what: "This page may not use the camera.",
      next: "Allow the camera for this page in the settings of your browser, or choose a photo.",
    },
    blocked: {
      what: "The camera is blocked by your organisation.",
      next: "Choose a photo, or type the booking reference instead.",
    },
    missing: {
      what: "This device has no camera that can be used here.",
      next: "Choose a photo, or type the booking reference instead.",
    },
    busy: {
      what: "Another app is using the camera.",
      next: "Close that app, then try again.",
    },
    lost: {
      what: "The camera has stopped.",
      next: "Open it again.",
    },
    reader_unavailable: {
      what: "The code reader could not be loaded.",
      next: "Check that you are online, then try again.",
    },
    no_code: {
      what: "There is no code in this photo that we can read.",
      next: "Choose a sharp photo that shows the whole code.",
    },
    not_boarding_pass: {
      what: "That code is not a boarding pass.",
      next: "Show us the code your airline printed or sent you.",
    },
    not_a_picture: {
      what: "This file is not a picture.",
      next: "Choose a photo or a screenshot of your boarding pass.",
    },
  },
  handOver: {
    titleAs: (name: string) => `Continue as ${name}?`,
    title: "Continue here?",
    lead: (host: string) => `${host} wants to sign you in to this page.`,
    warning: "Continue only if you have just come from there, and if this is you.",
    about: "What was handed over",
    sender: "From",
    passenger: "Passenger",
    recordLocator: "Booking reference",
    go: "Continue",
    refuse: "No, go to the start",
    signingIn: "Signing you in…",
    waiting: "Waiting for the airline’s app…",
    nothing: "Nothing was handed over",
    nothingNext: "Open this page from the airline’s app again, or find your journey yourself.",
    expired: "This sign-in is no longer valid",
    expiredNext: "Go back to the airline’s app and open this page from there once more.",
    checking: "Checking that no tag of yours is left behind…",
    locksTitle: "Finish with your tag first",
    locks: (tags: string) =>
      `Still locked to a journey opened on this page: ${tags}. After another sign-in, clearing from this page would no longer be possible.`,
    outboxTitle: "A tag of yours is still being confirmed",
    outbox: "The airline has still to hear of it from this page. After another sign-in that could be lost.",
    unknownTitle: "We cannot check your tags right now",
    unknown: "Before another sign-in we must be sure that no tag of yours is left behind.",
    clear: (tag: string) => `Clear tag ${tag}`,
    confirm: "Confirm now",
    choose: "Which journey?",
    journey: (destination: string, day: string) => `To ${destination}, ${day}`,
    stay: "Go on as before",
  },
  kept: {
    offlineTitle: "You are offline",
    offline: (moment: string) =>
      `This is your journey as it was on ${moment}. Tags can be written once you are online again.`,
    forget: "Forget me on this device",
    forgetTitle: "Forget me on this device?",
    forgetBody: "This page forgets your journey and who you are. Tags keep what they show and stay locked.",
    forgetYes: "Forget",
    forgetting: "Forgetting…",
    forgetWaiting:
      "One of your tags is still being confirmed. If you forget now, the airline may never hear of it.",
    forgetAnyway: "Forget anyway",
  },
  addBag: {
    action: "Add a bag",
    title: "Add a bag to this journey?",
    body: "It gets a bag number from your airline. The airline’s baggage rules still apply.",
    working: "Adding the bag…",
    added: (n: number) => `Bag ${n} was added.`,
    noRange: "Your airline gives out no bag numbers here.",
    noRangeNext: "Drop your bag at the desk, and it appears here.",
  },
  arrival: {
    title: "Arrived? Clear your tag",
    body: "An old label can send your bag astray on its next trip.",
    clear: (tag: string) => `Clear tag ${tag}`,
  },
  lost: {
    badge: "Reported lost",
    report: "Report lost",
    title: (tag: string) => `Report tag ${tag} lost?`,
    body: "Nobody but you and airline staff can then write or clear it. Your bag stays on this journey.",
    yes: "Report lost",
    working: "One moment…",
    found: "I have found it",
    foundLabel: (tag: string) => `I have found tag ${tag}`,
  },
  attempts: {
    title: plural("en", {
      one: "Somebody tried to unlock this tag",
      other: "Somebody tried to unlock this tag {n} times",
    }),
    body: (moment: string) =>
      `The details were wrong, last on ${moment}. If that was not you, keep an eye on your bag.`,
  },
  remembered: {
    ready: (tag: string) => `Wake tag ${tag} and hold it next to this device. No list this time.`,
    use: (tag: string) => `Use tag ${tag}`,
    other: "Choose another tag",
    looking: (tag: string) => `Looking for tag ${tag}…`,
    away: (tag: string) => `Tag ${tag} is not within reach`,
    awayNext: "Wake it with its button and try again, or choose a tag from the list.",
  },
  list: {
    title: "Find your tag in the list",
    wake: "Press the button on your tag.",
    look: (name: string) => `Look for the name printed on it, like ${name}.`,
    pair: "Tap that name in the list, then “Pair”.",
    why: "The list comes from your browser: the label goes to the tag by Bluetooth. Android may first ask about nearby devices: allow it.",
    show: "Show the list",
    closed: "Was your tag not in the list?",
    wakeAgain: "Press its button again: a tag soon goes back to sleep.",
    near: "Hold it right next to this device.",
    allow: "Turn Bluetooth on. On Android, also allow your browser nearby devices, or location.",
    elsewhere: "Close other apps and pages that use the tag.",
    again: "Show the list again",
    later: "Not now",
  },
  /** Several bags, one after the other. */
  run: {
    companions: "Same booking",
    done: (index: number, destination: string) => `It shows ${destination}. Fasten it to bag ${index}.`,
  },
  hint: {
    length: (n: number) => `A booking reference has six letters and digits; yours has ${n}.`,
    looks: "It looks like K7Q2ZD. The letter O and the digit 0 are easily mistaken, and so are I and 1.",
    surname: "Type the surname alone, as on the booking, without a first name or title.",
  },
  otherBag: {
    title: (n: number) => `This tag carries bag ${n}`,
    titleOf: (name: string, n: number) => `This tag carries bag ${n} of ${name}`,
    body: "A tag shows one bag. If you move it, the other bag has no tag.",
    move: (n: number) => `Move it to bag ${n}`,
    another: "Take another tag",
  },
  /** For browsers without Bluetooth, said before anything is typed. */
  elsewhere: {
    title: "This browser cannot reach your tag",
    ios: "Tags are written over Bluetooth, which Safari and Chrome on iPhone and iPad do not offer. What works:",
    inApp: "This page is open inside another app, which has no Bluetooth. Chrome has.",
    other: "Tags are written over Bluetooth. Chrome and Edge offer it, on Android and on computers.",
    openChrome: "Open in Chrome",
    iosBrowser: "Get a browser with Bluetooth",
    scan: "Scan this with an Android phone, or open it in Chrome on a computer:",
    code: (address: string) => `QR code of ${address}`,
    kiosks: "A kiosk writes your tag, too:",
  },
  share: {
    action: "Open on another device",
    body: "Scan this code with your other device. The code holds no booking: you type yours there.",
    hereTitle: "Type your booking on this device",
    here: "This device does not know the journey yet. Nothing was sent along with the link.",
  },
  /** Opened from the tag itself, or from a link. */
  link: {
    which: "Which bag goes on it?",
    lead: "Find your journey: its bag then goes on this tag.",
    yours: "Is this your booking?",
    yoursBody: "It came with the link that you opened. Nobody is asked about it until you say yes.",
    yes: "Yes, find this journey",
    no: "No, type mine",
    otherTitle: "The link names another booking",
    other: "Your own journey stays on this device. The booking of the link is not used.",
    allOnTags: "Every bag of this journey is on a tag.",
    open: "Open my journey",
  },
  /** Replaces the next step of `errors.unsupported` if we know the reason. */
  unsupported: {
    ios: "Safari and Chrome on iPhone and iPad cannot. Use an Android phone or a computer, or take a paper tag.",
    inApp: "Open this page in Chrome itself, not inside another app.",
  },
};
