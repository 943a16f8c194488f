/** The texts of scanning a boarding pass in nb, a part of nb-passenger.ts. */
import { text } from "./forms.ts";

const TYPE = "Velg et bilde, eller skriv inn bookingreferansen i stedet.";

export const scan = {
  title: "Skann boardingkortet ditt",
  lead: "Kameraet leser den firkantede koden eller strekkoden på boardingkortet, på papir eller på en annen skjerm.",
  privacy:
    "Nettleseren spør nå om siden kan bruke kameraet. Bildene blir på denne enheten; bare teksten i koden sendes, for å finne reisen din.",
  open: "Åpne kameraet",
  opening: "Åpner kameraet …",
  picture: "Det kameraet ser",
  aim: "Hold hele koden innenfor rammen.",
  searching: "Leter etter en kode …",
  slow: "Ingenting ennå? Gå nærmere, unngå gjenskinn, eller velg et bilde.",
  finding: "Koden er lest. Leter etter reisen din …",
  lightOn: "Lys på",
  lightOff: "Lys av",
  stop: "Lukk kameraet",
  photo: "Velg et bilde",
  readingPhoto: "Leser bildet …",
  type: "Skriv inn bookingreferansen",
  again: "Skann på nytt",
};

export const camera = {
  refused: text(
    "Siden har ikke lov til å bruke kameraet.",
    "Tillat kameraet for denne siden i nettleserens innstillinger, eller velg et bilde.",
  ),
  blocked: text("Organisasjonen din har blokkert kameraet.", TYPE),
  missing: text("Enheten har ikke noe kamera som kan brukes her.", TYPE),
  busy: text("En annen app bruker kameraet.", "Lukk den appen og prøv igjen."),
  lost: text("Kameraet har stoppet.", "Åpne det på nytt."),
  reader_unavailable: text("Kodeleseren kunne ikke lastes.", "Kontroller at du er på nett, og prøv igjen."),
  no_code: text("Det er ingen kode i bildet som vi kan lese.", "Velg et skarpt bilde som viser hele koden."),
  not_boarding_pass: text(
    "Den koden er ikke fra et boardingkort.",
    "Vis koden som flyselskapet har trykt eller sendt deg.",
  ),
  not_a_picture: text(
    "Denne filen er ikke et bilde.",
    "Velg et bilde eller et skjermbilde av boardingkortet.",
  ),
};
