import { text } from "./forms.ts";
/** The texts of scanning a boarding pass in en, a part of en-passenger.ts. */
export const scan = {
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
};

/** Why no code could be read: what happened, and the one thing to do next. */
export const camera = {
  refused: text(
    "This page may not use the camera.",
    "Allow the camera for this page in the settings of your browser, or choose a photo.",
  ),
  blocked: text(
    "The camera is blocked by your organisation.",
    "Choose a photo, or enter the booking reference instead.",
  ),
  missing: text(
    "This device has no camera that can be used here.",
    "Choose a photo, or enter the booking reference instead.",
  ),
  busy: text("Another app is using the camera.", "Close that app, then try again."),
  lost: text("The camera has stopped.", "Open it again."),
  reader_unavailable: text(
    "The code reader could not be loaded.",
    "Check that you’re online, then try again.",
  ),
  no_code: text("We can’t read a code in this photo.", "Choose a sharp photo that shows the whole code."),
  not_boarding_pass: text(
    "That code is not a boarding pass.",
    "Show us the code your airline printed or sent you.",
  ),
  not_a_picture: text("This file is not a picture.", "Choose a photo or a screenshot of your boarding pass."),
};
