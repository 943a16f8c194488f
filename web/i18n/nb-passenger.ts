/** Norsk bokmål: passasjerens øvrige sider. Begreper som i glossary.md. */
import { type PassengerWords, said } from "./dictionary.ts";
import { plural } from "./forms.ts";

const TYPE = "Velg et bilde, eller skriv inn bookingreferansen i stedet.";

export const passenger = {
  scan: {
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
  },
  camera: {
    refused: said(
      "Siden har ikke lov til å bruke kameraet.",
      "Tillat kameraet for denne siden i nettleserens innstillinger, eller velg et bilde.",
    ),
    blocked: said("Organisasjonen din har blokkert kameraet.", TYPE),
    missing: said("Enheten har ikke noe kamera som kan brukes her.", TYPE),
    busy: said("En annen app bruker kameraet.", "Lukk den appen og prøv igjen."),
    lost: said("Kameraet har stoppet.", "Åpne det på nytt."),
    reader_unavailable: said("Kodeleseren kunne ikke lastes.", "Kontroller at du er på nett, og prøv igjen."),
    no_code: said(
      "Det er ingen kode i bildet som vi kan lese.",
      "Velg et skarpt bilde som viser hele koden.",
    ),
    not_boarding_pass: said(
      "Den koden er ikke fra et boardingkort.",
      "Vis koden som flyselskapet har trykt eller sendt deg.",
    ),
    not_a_picture: said(
      "Denne filen er ikke et bilde.",
      "Velg et bilde eller et skjermbilde av boardingkortet.",
    ),
  },
  handOver: {
    titleAs: (name) => `Fortsette som ${name}?`,
    title: "Fortsette her?",
    lead: (host) => `${host} vil logge deg inn på denne siden.`,
    warning: "Fortsett bare hvis du nettopp kom derfra, og hvis det er deg det gjelder.",
    about: "Dette ble overført",
    sender: "Fra",
    passenger: "Passasjer",
    recordLocator: "Bookingreferanse",
    go: "Fortsett",
    refuse: "Nei, gå til start",
    signingIn: "Logger deg inn …",
    waiting: "Venter på flyselskapets app …",
    nothing: "Ingenting ble overført",
    nothingNext: "Åpne siden på nytt fra flyselskapets app, eller finn reisen din selv.",
    expired: "Denne innloggingen er ikke lenger gyldig",
    expiredNext: "Gå tilbake til flyselskapets app og åpne siden derfra en gang til.",
    checking: "Sjekker at du ikke har noe ugjort med merkene dine …",
    locksTitle: "Gjør deg ferdig med merket først",
    locks: (tags) =>
      `Fortsatt låst til en reise som ble åpnet på denne siden: ${tags}. Etter en annen innlogging går det ikke lenger an å tømme fra denne siden.`,
    outboxTitle: "Et av merkene dine er ennå ikke bekreftet",
    outbox: "Siden må fortsatt gi flyselskapet beskjed. Etter en annen innlogging kan beskjeden gå tapt.",
    unknownTitle: "Vi kan ikke sjekke merkene dine akkurat nå",
    unknown: "Før en annen innlogging må vi være sikre på at du ikke har noe ugjort med merkene dine.",
    clear: (tag) => `Tøm merke ${tag}`,
    confirm: "Bekreft nå",
    choose: "Hvilken reise?",
    journey: (destination, day) => `Til ${destination}, ${day}`,
    stay: "Fortsett som før",
  },
  kept: {
    title: "Reisen din",
    open: "Åpne reisen min",
    since: (moment) => `Per ${moment}`,
    offlineTitle: "Du er uten nett",
    offline: (moment) =>
      `Dette er reisen din slik den var ${moment}. Du kan skrive på merker når du er på nett igjen.`,
    forget: "Glem meg på denne enheten",
    forgetTitle: "Skal denne enheten glemme deg?",
    forgetBody: "Siden glemmer reisen din og hvem du er. Merkene beholder det de viser, og forblir låst.",
    forgetYes: "Glem",
    forgetting: "Glemmer …",
    forgetWaiting:
      "Et av merkene dine er ennå ikke bekreftet. Hvis enheten glemmer deg nå, får flyselskapet kanskje aldri vite om det.",
    forgetAnyway: "Glem likevel",
    forgotten: "Enheten har glemt deg.",
  },
  addBag: {
    action: "Legg til en koffert",
    title: "Legge en koffert til denne reisen?",
    body: "Den får et bagasjenummer fra flyselskapet. Flyselskapets regler for bagasje gjelder fortsatt.",
    working: "Legger til kofferten …",
    added: (n) => `Koffert ${n} er lagt til.`,
    noRange: "Flyselskapet ditt gir ikke ut bagasjenumre her.",
    noRangeNext: "Lever kofferten i skranken, så dukker den opp her.",
  },
  arrival: {
    title: "Framme? Tøm merket ditt",
    body: "En gammel etikett kan sende bagasjen feil vei på neste reise.",
    clear: (tag) => `Tøm merke ${tag}`,
  },
  lost: {
    badge: "Meldt tapt",
    report: "Meld tapt",
    title: (tag) => `Melde merke ${tag} tapt?`,
    body: "Da kan bare du og flyselskapets personale skrive på merket eller tømme det. Kofferten blir med på denne reisen.",
    yes: "Meld tapt",
    working: "Et øyeblikk …",
    found: "Jeg har funnet det",
    foundLabel: (tag) => `Jeg har funnet merke ${tag}`,
  },
  attempts: {
    title: plural("nb", {
      one: "Noen prøvde å låse opp dette merket",
      other: "Noen prøvde å låse opp dette merket {n} ganger",
    }),
    body: (moment) =>
      `Opplysningene var feil, sist ${moment}. Hvis det ikke var deg, bør du holde øye med bagasjen.`,
  },
  remembered: {
    ready: (tag) => `Aktiver merke ${tag} og hold det inntil enheten. Ingen liste denne gangen.`,
    use: (tag) => `Bruk merke ${tag}`,
    other: "Velg et annet merke",
    looking: (tag) => `Leter etter merke ${tag} …`,
    away: (tag) => `Merke ${tag} er ikke innen rekkevidde`,
    awayNext: "Aktiver det med knappen og prøv igjen, eller velg et merke fra listen.",
  },
  otherBag: {
    title: (n) => `Dette merket hører til koffert ${n}`,
    body: "Et merke viser én koffert. Hvis du flytter det, står den andre kofferten uten merke.",
    move: (n) => `Flytt det til koffert ${n}`,
    another: "Ta et annet merke",
  },
  unsupported: {
    ios: "På iPhone og iPad kan ingen nettleser det. Bruk en Android-telefon eller en datamaskin, eller ta et papirmerke.",
    inApp: "Åpne siden direkte i Chrome, ikke inne i en annen app.",
  },
} satisfies PassengerWords;
