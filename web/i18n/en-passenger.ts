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
      "Your browser now asks whether this page may use the camera. Pictures stay on this device; only the text of the code is sent, to find your trip.",
    open: "Open the camera",
    opening: "Opening the camera…",
    picture: "What the camera sees",
    aim: "Hold the whole code inside the frame.",
    searching: "Looking for a code…",
    slow: "Nothing yet? Move closer, avoid reflections, or choose a photo.",
    finding: "Code read. Finding your trip…",
    lightOn: "Light on",
    lightOff: "Light off",
    stop: "Close the camera",
    photo: "Choose a photo",
    readingPhoto: "Reading the photo…",
    type: "Enter the booking reference instead",
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
      next: "Choose a photo, or enter the booking reference instead.",
    },
    missing: {
      what: "This device has no camera that can be used here.",
      next: "Choose a photo, or enter the booking reference instead.",
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
      next: "Check that you’re online, then try again.",
    },
    no_code: {
      what: "We can’t read a code in this photo.",
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
    go: "Continue",
    refuse: "No, go to the start",
    signingIn: "Signing you in…",
    waiting: "Waiting for the airline’s app…",
    nothing: "Nothing was handed over",
    nothingNext: "Open this page from the airline’s app again, or find your trip yourself.",
    expired: "This sign-in is no longer valid",
    expiredNext: "Go back to the airline’s app and open this page from there once more.",
    locksTitle: "Finish with your tag first",
    locks: (tags: string) =>
      `Still locked to a journey opened on this page: ${tags}. After another sign-in, clearing from this page would no longer be possible.`,
    outboxTitle: "A tag of yours is still being confirmed",
    outbox: "The airline doesn’t know about it yet. After another sign-in that could be lost.",
    unknownTitle: "We can’t check your tags right now",
    unknown: "Before another sign-in we must be sure that no tag of yours is left behind.",
    choose: "Which trip?",
    journey: (destination: string, day: string) => `To ${destination}, ${day}`,
    stay: "Go on as before",
  },
  cached: {
    offline: (moment: string) => `This is your trip as it was on ${moment}.`,
    forget: "Remove my details from this device",
    forgetTitle: "Remove your details from this device?",
    forgetBody:
      "Your tags keep their labels and stay locked to your trip. To clear one later, find your trip again.",
    forgetYes: "Remove",
    forgetting: "Removing…",
    forgetWaiting:
      "One of your tags isn’t confirmed yet. If you remove your details now, the airline may never know about it.",
    forgetAnyway: "Remove anyway",
  },
  addBag: {
    action: "Add a bag",
    title: "Add a bag to this trip?",
    body: "It gets a bag number from your airline. The airline’s baggage rules still apply.",
    working: "Adding the bag…",
    added: (n: number) => `Bag ${n} was added.`,
    noRange: "You can’t add a bag here.",
    noRangeNext: "Check your bag in at the desk, and it appears here.",
    upTo: (weight: string) => `It may weigh up to ${weight}.`,
    /** Why the airline refuses, and the next step. */
    refused: {
      allowance: {
        what: "Your booking doesn’t include another bag.",
        next: "Buy one more from your airline, then try again.",
      },
      not_checked_in: {
        what: "You’re not checked in yet.",
        next: "Check in with your airline, then add the bag.",
      },
      route: {
        what: "Your airline doesn’t take electronic bag tags on this route.",
        next: "Get a paper tag at its desk.",
      },
      too_early: { what: "It’s too early to add a bag.", next: "Try again closer to departure." },
      too_late: { what: "It’s too late to add a bag here.", next: "Please go to your airline’s desk now." },
      restricted: { what: "Your airline doesn’t accept this bag here.", next: "Please go to its desk." },
    },
  },
  /** Of a bag of the address that the trip does not have. */
  bagMissing: "This bag isn’t part of your trip.",
  /** The operator lists no electronic tags at the first airport. */
  notListed: {
    title: (airport: string) => `Electronic bag tags may not be accepted in ${airport}`,
    body: "You can still write your tag. Ask at the desk there whether you need a paper tag.",
  },
  /** A bag's card, in the order of its states. */
  card: {
    ready: "Ready for bag drop",
    more: (n: number) => `More for bag ${n}`,
    putBack: "Put it back",
    check: (tag: string) => `${tag}: check needed`,
    older: plural("en", { one: "1 older tag", other: "{n} older tags" }),
    finished: "Trip finished. All tags are clear.",
    show: "Show this to staff",
    remind: "Remind me to clear it",
    remindNot: "Don’t remind me",
    reminded: "We’ll remind you on this device after landing.",
    reminder: (tag: string) => `Clear bag tag ${tag}`,
  },
  arrival: {
    title: "Arrived? Clear your tag",
    body: "An old label can misroute your bag on its next trip.",
    next: (tag: string) => `Next: clear ${tag}`,
    findFirst: "If the tag shows a trip of yours, find that trip first.",
    early: "Your trip isn’t over yet. Without this label, your bag needs a new one.",
  },
  lost: {
    badge: (tag: string) => `${tag} reported lost`,
    report: "Report lost",
    title: (tag: string) => `Report tag ${tag} lost?`,
    body: "Airline staff will see that it’s lost, and only you and they can write or clear it. Your bag stays on this trip.",
    found: "I have it back",
    foundLabel: (tag: string) => `I have tag ${tag} back`,
  },
  /** A bag that another person found, and where it is. */
  found: {
    action: "I found this bag",
    title: "Where is the bag?",
    lead: "The airline and the owner can read what you write. You don’t have to say who you are.",
    airport: "Airport",
    airportHint: "Three letters, like OSL",
    airportWrong: "Enter its three letters, like OSL.",
    desk: "Desk or belt",
    words: "Anything else",
    wordsHint: "No names, please.",
    locate: "Add where I am",
    locating: "Asking your device…",
    locateNot: "Remove my location",
    located: (metres: number) => `Your location is added, to within ${metres} m.`,
    locateFailed: "Your device didn’t share its location. Enter the place instead.",
    missing: "Say where the bag is. One field is enough.",
    offline: "You’re offline. You can send the report once you’re back online.",
    tooMany: "We have enough reports from here for now. Please take the bag to a desk of the airline.",
    failed: "That wasn’t sent. Check that you’re online, then try again.",
    send: "Send",
    sending: "Sending…",
    doneTitle: "Thank you",
    done: "Thanks – the owner and the airline have been told.",
    doneNext: "Please take it to a desk of the airline. If you can’t, leave it where it is.",
    reported: (moment: string) => `Someone found your bag, ${moment}`,
    trace: "Where is it?",
    traceTitle: (tag: string) => `Bag with tag ${tag}`,
    reports: "What finders said",
    none: "No reports yet.",
    more: plural("en", {
      one: "1 more report, which the airline’s staff see",
      other: "{n} more reports, which the airline’s staff see",
    }),
    atDesk: (desk: string) => `desk or belt: ${desk}`,
    mute: "Mute alerts",
    unmute: "Turn alerts on",
    news: "There is news about your bag",
    notify: "Alert this phone when someone reports it",
    notifyRefused:
      "Your browser doesn’t allow it. Allow notifications for this page in its settings, then try again.",
    linkTitle: "Share where it is",
    linkBody:
      "Paste the link of Apple’s Find My or Google’s Find Hub. The airline’s staff can open it, and you see when they did. It is deleted when you have your bag again.",
    link: "Link to its place",
    linkWrong: "That isn’t a link from Find My or Find Hub.",
    linkAdd: "Share the link",
    linkOpened: (airline: string, moment: string) => `Opened by ${airline}, ${moment}`,
    linkUnopened: "Not opened yet",
    linkRemove: "Stop sharing",
  },
  attempts: {
    title: plural("en", {
      one: "Someone tried to unlock this tag",
      other: "Someone tried to unlock this tag {n} times",
    }),
    body: (moment: string) =>
      `The details were wrong, last on ${moment}. If that wasn’t you, keep an eye on your bag.`,
  },
  /** The tags of this device, on the screen that clears them. */
  tags: {
    title: "My tags",
    clearAll: "Clear all",
    last: (destination: string, day: string) => `Last label: ${destination}, ${day}`,
    blank: "No label",
  },
  /** A bag's tag that no holder unlocked: what, when, by what kind of hand. */
  taken: {
    title: (tag: string) => `Your label was removed from ${tag}`,
    proof: (moment: string) =>
      `Unlocked with your booking details, ${moment}. If that wasn’t you, talk to the desk.`,
    staff: (moment: string) =>
      `Airline staff unlocked the tag, ${moment}. If you don’t know why, ask at the desk.`,
    voided: (moment: string) =>
      `The tag itself showed that it no longer carries your label, ${moment}. If you need it, write it again.`,
    displaced: (moment: string) =>
      `Your booking had more tags than its bags need, so the oldest was unlocked, ${moment}.`,
  },
  remembered: {
    ready: (tag: string) => `Wake tag ${tag} and hold it next to this device.`,
    other: "Choose another tag",
    looking: (tag: string) => `Looking for tag ${tag}…`,
    away: (tag: string) => `Tag ${tag} isn’t within reach`,
    awayNext: "Wake it with its button and try again, or choose a tag from the list.",
  },
  list: {
    title: "Find your tag in the list",
    wake: "Press the button on your tag.",
    look: (name: string) => `Look for the name printed on it, like ${name}.`,
    pair: "Tap that name in the list, then “Pair”.",
    show: "Show the list",
    closed: "Don’t see your tag?",
    wakeAgain: "Press its button again: it goes back to sleep after a few seconds.",
    near: "Hold it right next to this device.",
    allow: "Turn Bluetooth on. On Android, also allow your browser nearby devices, or location.",
    elsewhere: "Close other apps and pages that use the tag.",
    again: "Show the list again",
    later: "Not now",
  },
  /** Several bags, one after the other. */
  proof: {
    title: (tag: string) => `Unlock tag ${tag}`,
    body: "This tag is locked to another trip. Enter that trip’s booking reference and surname to unlock it, or use a different tag.",
    hints: "The trip on the tag",
    route: "Route",
    recordLocatorMissing: "Enter that trip’s booking reference.",
    surnameMissing: "Enter that trip’s surname.",
    attemptsLeft: plural("en", { one: "Last try", other: "{n} tries left" }),
    submit: "Unlock",
    unknown: "It’s my tag, and I don’t know this trip",
    unknownBody:
      "Take the tag to your airline’s desk. With the tag in hand, staff can unlock it, even if it’s locked to another airline’s trip.",
    keepsLink: "The tag stays connected while you type.",
    afterLast: "After the last try, wait 15 minutes or use another tag.",
  },
  unresolved: {
    askingBody: "You left while it was updating. Hold it near your phone and we’ll check.",
    asking: (tag: string) => `Did ${tag} update?`,
    ask: "Check tag",
    askNot: "I don’t have it",
  },
  written: {
    readBack: (end: string) => `Check your tag: the number under the barcode ends in ${end}.`,
    readBackNot: "Doesn’t match?",
    stoppedTitle: "Your label was already written",
    stopped: "You can keep it or clear the tag.",
    keep: "Keep it",
  },
  run: {
    companions: "Same booking",
    done: (index: number, destination: string) =>
      `It shows ${destination}. Fasten it to bag ${index} and take it to the bag drop.`,
    /** Of a bag that has moved from one tag to another. */
    alsoOn: (tag: string) => `Tag ${tag} still shows this label. Clear it before its next trip.`,
    still: (tag: string) => `Your bag is still on tag ${tag}.`,
    old: (tag: string) => `Old tag ${tag}`,
  },
  hint: {
    other: (letter: string) =>
      `That trip’s booking reference begins with ${letter}. This didn’t count as a try.`,
    length: (n: number) => `A booking reference has six letters and digits; yours has ${n}.`,
    looks:
      "A booking reference looks like X4T9KL. The letter O and the digit 0 are easily mistaken, and so are I and 1.",
    surname: "Enter the surname alone, as on the booking, without a first name or title.",
    accents: "Accents don’t matter. Ü, U and UE all count.",
  },
  /** Of a job that failed before anything was sent to the tag. */
  unchanged: "The tag still shows what it showed before.",
  /** To a person whose confirmation comes after someone has written the tag again. */
  reused: {
    title: (tag: string) => `${tag} was reused before we could confirm it`,
    body: "Check the tag: hold it near your phone and we’ll see whether it still shows your label.",
    dropped: "Check the tag. If it no longer shows your label, write your bag to another one.",
  },
  otherBag: {
    title: (n: number) => `This tag is already used for bag ${n}`,
    titleOf: (name: string, n: number) => `This tag is already used for bag ${n} of ${name}`,
    titleOther: "This tag is already used for another bag",
    body: (n: number) => `If you reuse it, bag ${n} won’t have a tag.`,
    bodyOther: "If you reuse it, the other bag won’t have a tag.",
    move: (n: number) => `Use it for bag ${n}`,
    another: "Use another tag",
    labelTitle: "This tag shows someone else’s label",
    labelBody: "If you replace it, their bag won’t have a label. Ask whose tag it is first.",
    replace: "Replace the label",
  },
  /** For browsers without Bluetooth, said before anything is typed. */
  elsewhere: {
    title: "This browser can’t connect to your tag",
    how: "How?",
    others: "Other ways",
    ios: "Browsers on iPhone can’t connect to bag tags. You can:",
    inApp: "This page is open inside another app, which has no Bluetooth. Chrome has.",
    other: "Tags are written over Bluetooth. Chrome and Edge offer it, on Android and on computers.",
    openChrome: "Open in Chrome",
    iosApp: "Get the airline’s app",
    iosBrowser: "Get a browser with Bluetooth",
    scan: "Scan this with an Android phone, or open it in Chrome on a computer:",
    code: (address: string) => `QR code of ${address}`,
    kiosks: "Or use a kiosk:",
  },
  /** Another person's phone writes the tag: the holder's side, then the other one's. */
  delegate: {
    action: "Use someone else’s phone",
    lead: "The other person sees this trip with your first name and the first letter of your surname, but not your booking reference. Either of you can stop at any time.",
    show: "Show the code",
    scan: "Scan this with the other phone",
    code: "Code with a link for the other phone",
    left: (time: string) => `Valid for ${time} more`,
    send: "Send the link",
    compare: "Same number on both phones?",
    compareBody: "If the other phone shows another number, or none, stop here.",
    yes: "Yes, the same",
    no: "No, stop",
    waiting: "Waiting for the other phone…",
    active: "The other phone can write now",
    activeBody: "We’ll show here when your tag is ready.",
    ready: "Your tag is ready",
    end: "Stop sharing",
    ended: "Sharing stopped",
    endedNext: "The other phone can’t do anything more with this booking. What it wrote stays on the tag.",
    /** To the person whose phone wrote. */
    endedHere: "This phone can’t do anything more with that booking. What it wrote stays on the tag.",
    gone: "This code is no longer valid",
    goneNext: "Its time is over, or it was used from two phones. Make a new one.",
    askTitle: "Write a tag for someone else?",
    ask: "Your phone writes the tag for their booking until one of you stops.",
    askYes: "Yes, continue",
    noCode: "This link has no code",
    noCodeNext: "Scan the code on the other phone again.",
    forOther: "You’re writing a tag for someone else",
    forOtherBody: "Their surname and booking reference are hidden from you.",
  },
  unknownHere: {
    title: "Enter your booking on this device",
    lead: "This device doesn’t have your trip yet.",
  },
  /** Opened from the tag itself, or from a link. */
  link: {
    mine: "It’s my tag",
    which: "Which bag goes on it?",
    lead: "Find your trip to put its bag on this tag.",
    yours: "Is this your booking?",
    yoursBody: "It came with the link you opened. We look it up only if you say yes.",
    yes: "Yes, find this trip",
    no: "No, enter mine",
    otherTitle: "The link names another booking",
    other: "Your own trip stays on this device. The booking in the link isn’t used.",
    again: "Write again",
    allOnTags: "Every bag of this trip has a tag.",
    open: "Open my trip",
  },
  /** Replaces the next step of `errors.unsupported` if we know the reason. */
  unsupported: {
    ios: "Browsers on iPhone can’t connect to bag tags. Use an Android phone or a computer, or ask for a paper tag.",
    inApp: "Open this page in Chrome itself, not inside another app.",
  },
  step: {
    connect: "Connect to the tag",
    secure: "Secure the connection",
    lookup: "Check whose tag it is",
    proof: "Unlock the tag",
    authorize: "Get permission to write",
    write: "Send the label",
    display: "Change the display",
    attach: "Confirm with the airline",
    clearAuthorize: "Get permission to clear",
    clearWrite: "Send the clear command",
    clearAttach: "Release the tag",
  },
};
