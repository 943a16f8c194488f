/** Deutsch: die weiteren Seiten für Fluggäste. Begriffe wie in glossary.md. */
import { type PassengerWords, said } from "./dictionary.ts";
import { plural } from "./forms.ts";

const TYPE = "Wählen Sie ein Foto oder geben Sie stattdessen den Buchungscode ein.";

export const passenger = {
  scan: {
    title: "Bordkarte scannen",
    lead: "Die Kamera liest den quadratischen Code oder den Strichcode auf Ihrer Bordkarte, ob auf Papier oder auf einem anderen Bildschirm.",
    privacy:
      "Ihr Browser fragt jetzt, ob diese Seite die Kamera verwenden darf. Bilder bleiben auf diesem Gerät; nur der Text des Codes wird gesendet, um Ihre Reise zu finden.",
    open: "Kamera öffnen",
    opening: "Kamera wird geöffnet …",
    picture: "Was die Kamera sieht",
    aim: "Halten Sie den ganzen Code in den Rahmen.",
    searching: "Code wird gesucht …",
    slow: "Noch nichts? Gehen Sie näher heran, vermeiden Sie Spiegelungen oder wählen Sie ein Foto.",
    finding: "Code gelesen. Ihre Reise wird gesucht …",
    lightOn: "Licht an",
    lightOff: "Licht aus",
    stop: "Kamera schließen",
    photo: "Foto wählen",
    readingPhoto: "Foto wird gelesen …",
    type: "Lieber Buchungscode eingeben",
    again: "Erneut scannen",
  },
  camera: {
    refused: said(
      "Diese Seite darf die Kamera nicht verwenden.",
      "Erlauben Sie die Kamera für diese Seite in den Einstellungen Ihres Browsers oder wählen Sie ein Foto.",
    ),
    blocked: said("Ihre Organisation hat die Kamera blockiert.", TYPE),
    missing: said("Dieses Gerät hat keine Kamera, die hier verwendet werden kann.", TYPE),
    busy: said(
      "Eine andere App verwendet die Kamera.",
      "Schließen Sie diese App und versuchen Sie es erneut.",
    ),
    lost: said("Die Kamera hat sich abgeschaltet.", "Öffnen Sie sie erneut."),
    reader_unavailable: said(
      "Der Codeleser konnte nicht geladen werden.",
      "Prüfen Sie, ob Sie online sind, und versuchen Sie es erneut.",
    ),
    no_code: said(
      "Auf diesem Foto ist kein Code, den wir lesen können.",
      "Wählen Sie ein scharfes Foto, das den ganzen Code zeigt.",
    ),
    not_boarding_pass: said(
      "Dieser Code gehört nicht zu einer Bordkarte.",
      "Zeigen Sie den Code, den Ihre Fluggesellschaft gedruckt oder gesendet hat.",
    ),
    not_a_picture: said(
      "Diese Datei ist kein Bild.",
      "Wählen Sie ein Foto oder einen Screenshot Ihrer Bordkarte.",
    ),
  },
  handOver: {
    titleAs: (name) => `Als ${name} fortfahren?`,
    title: "Hier fortfahren?",
    lead: (host) => `${host} möchte Sie auf dieser Seite anmelden.`,
    warning: "Fahren Sie nur fort, wenn Sie gerade von dort kommen und selbst gemeint sind.",
    about: "Was übergeben wurde",
    sender: "Von",
    passenger: "Fluggast",
    recordLocator: "Buchungscode",
    go: "Fortfahren",
    refuse: "Nein, zur Startseite",
    signingIn: "Sie werden angemeldet …",
    waiting: "Warten auf die App der Fluggesellschaft …",
    nothing: "Es wurde nichts übergeben",
    nothingNext:
      "Öffnen Sie diese Seite erneut aus der App der Fluggesellschaft oder suchen Sie Ihre Reise selbst.",
    expired: "Diese Anmeldung gilt nicht mehr",
    expiredNext:
      "Gehen Sie zurück zur App der Fluggesellschaft und öffnen Sie diese Seite von dort noch einmal.",
    checking: "Wir prüfen, ob bei Ihren Anhängern noch etwas offen ist …",
    locksTitle: "Kümmern Sie sich zuerst um Ihren Anhänger",
    locks: (tags) =>
      `Noch gesperrt für eine Reise, die auf dieser Seite geöffnet wurde: ${tags}. Nach einer anderen Anmeldung wäre das Leeren auf dieser Seite nicht mehr möglich.`,
    outboxTitle: "Einer Ihrer Anhänger wird noch bestätigt",
    outbox:
      "Diese Seite muss das der Fluggesellschaft noch melden. Nach einer anderen Anmeldung könnte die Meldung verloren gehen.",
    unknownTitle: "Wir können Ihre Anhänger gerade nicht prüfen",
    unknown:
      "Vor einer anderen Anmeldung müssen wir sicher sein, dass bei Ihren Anhängern nichts mehr offen ist.",
    clear: (tag) => `Anhänger ${tag} leeren`,
    confirm: "Jetzt bestätigen",
    choose: "Welche Reise?",
    journey: (destination, day) => `Nach ${destination}, ${day}`,
    stay: "Weiter wie bisher",
  },
  kept: {
    offlineTitle: "Sie sind offline",
    offline: (moment) =>
      `Das ist Ihre Reise, Stand: ${moment}. Anhänger können beschrieben werden, sobald Sie wieder online sind.`,
    forget: "Mich auf diesem Gerät vergessen",
    forgetTitle: "Soll dieses Gerät Sie vergessen?",
    forgetBody:
      "Diese Seite vergisst Ihre Reise und wer Sie sind. Anhänger behalten ihre Anzeige und bleiben gesperrt.",
    forgetYes: "Vergessen",
    forgetting: "Wird vergessen …",
    forgetWaiting:
      "Einer Ihrer Anhänger wird noch bestätigt. Wenn dieses Gerät Sie jetzt vergisst, erfährt die Fluggesellschaft vielleicht nie davon.",
    forgetAnyway: "Trotzdem vergessen",
  },
  addBag: {
    action: "Gepäckstück hinzufügen",
    title: "Gepäckstück zu dieser Reise hinzufügen?",
    body: "Es erhält eine Gepäcknummer Ihrer Fluggesellschaft. Deren Gepäckregeln gelten weiterhin.",
    working: "Gepäckstück wird hinzugefügt …",
    added: (n) => `Gepäckstück ${n} wurde hinzugefügt.`,
    noRange: "Ihre Fluggesellschaft vergibt hier keine Gepäcknummern.",
    noRangeNext: "Geben Sie Ihr Gepäckstück am Schalter auf, dann erscheint es hier.",
  },
  arrival: {
    title: "Angekommen? Leeren Sie Ihren Anhänger",
    body: "Ein altes Etikett kann Ihr Gepäck auf der nächsten Reise fehlleiten.",
    clear: (tag) => `Anhänger ${tag} leeren`,
  },
  lost: {
    badge: "Als verloren gemeldet",
    report: "Verlust melden",
    title: (tag) => `Anhänger ${tag} als verloren melden?`,
    body: "Nur Sie und das Personal der Fluggesellschaft können ihn dann beschreiben oder leeren. Ihr Gepäck bleibt bei dieser Reise.",
    yes: "Verlust melden",
    working: "Einen Moment …",
    found: "Ich habe ihn gefunden",
    foundLabel: (tag) => `Ich habe Anhänger ${tag} gefunden`,
  },
  found: {
    action: "Ich habe dieses Gepäckstück gefunden",
    title: "Wo ist das Gepäckstück?",
    lead: "Die Fluggesellschaft und die Person, der es gehört, lesen, was Sie schreiben. Niemand fragt, wer Sie sind.",
    airport: "Flughafen",
    airportHint: "Drei Buchstaben, etwa OSL",
    airportWrong: "Geben Sie die drei Buchstaben ein, etwa OSL.",
    desk: "Schalter oder Gepäckband",
    words: "Sonst noch etwas",
    wordsHint: "Bitte keine Namen.",
    locate: "Meinen Standort hinzufügen",
    locating: "Ihr Gerät wird gefragt …",
    locateNot: "Meinen Standort entfernen",
    located: (metres) => `Ihr Standort ist hinzugefügt, auf ${metres} m genau.`,
    locateFailed: "Ihr Gerät hat nicht gesagt, wo es ist. Beschreiben Sie den Ort stattdessen.",
    missing: "Sagen Sie, wo das Gepäckstück ist. Ein Feld genügt.",
    offline: "Sie sind offline. Die Meldung kann gesendet werden, sobald Sie wieder online sind.",
    tooMany:
      "Von hier kamen vorerst genug Meldungen. Bitte bringen Sie das Gepäckstück zu einem Schalter der Fluggesellschaft.",
    failed: "Das wurde nicht gesendet. Prüfen Sie, ob Sie online sind, und versuchen Sie es noch einmal.",
    send: "Senden",
    sending: "Wird gesendet …",
    doneTitle: "Vielen Dank",
    done: "Wenn jemand mit diesem Anhänger reist, wissen diese Person und ihre Fluggesellschaft jetzt, wo das Gepäckstück ist.",
    doneNext: "Bitte geben Sie es an einem Schalter der Fluggesellschaft ab, oder lassen Sie es, wo es war.",
    heard: (moment) => `Ihr Gepäckstück wurde gefunden, ${moment}`,
    story: "Wo ist es?",
    storyTitle: (tag) => `Gepäckstück mit Anhänger ${tag}`,
    reports: "Meldungen",
    none: "Es wurde noch nicht als gefunden gemeldet.",
    more: plural("de", {
      one: "1 weitere Meldung, die das Personal der Fluggesellschaft sieht",
      other: "{n} weitere Meldungen, die das Personal der Fluggesellschaft sieht",
    }),
    atDesk: (desk) => `Schalter ${desk}`,
    mute: "Nichts mehr davon zeigen",
    unmute: "Wieder zeigen",
    linkTitle: "Standort teilen",
    linkBody:
      "Fügen Sie den Link von „Wo ist?“ (Apple) oder „Find Hub“ (Google) ein. Das Personal der Fluggesellschaft kann ihn öffnen, und Sie sehen, wann. Er wird gelöscht, sobald Sie Ihr Gepäckstück wiederhaben.",
    link: "Link zum Standort",
    linkWrong: "Das ist kein Link von „Wo ist?“ oder „Find Hub“.",
    linkAdd: "Link teilen",
    linkOpened: (airline, moment) => `Geöffnet von ${airline}, ${moment}`,
    linkUnopened: "Noch nicht geöffnet",
    linkRemove: "Nicht mehr teilen",
    reunited: "Ich habe es wieder",
  },
  attempts: {
    title: plural("de", {
      one: "Jemand hat versucht, diesen Anhänger zu entsperren",
      other: "Jemand hat {n}-mal versucht, diesen Anhänger zu entsperren",
    }),
    body: (moment) =>
      `Die Angaben waren falsch, zuletzt am ${moment}. Wenn Sie das nicht waren, behalten Sie Ihr Gepäck im Auge.`,
  },
  remembered: {
    ready: (tag) =>
      `Aktivieren Sie Anhänger ${tag} und halten Sie ihn ans Gerät. Diesmal erscheint keine Liste.`,
    use: (tag) => `Anhänger ${tag} verwenden`,
    other: "Anderen Anhänger wählen",
    looking: (tag) => `Anhänger ${tag} wird gesucht …`,
    away: (tag) => `Anhänger ${tag} ist nicht in Reichweite`,
    awayNext:
      "Aktivieren Sie ihn mit seiner Taste und versuchen Sie es erneut, oder wählen Sie einen aus der Liste.",
  },
  list: {
    title: "Finden Sie Ihren Anhänger in der Liste",
    wake: "Drücken Sie die Taste am Anhänger.",
    look: (name) => `Suchen Sie den Namen, der darauf steht, zum Beispiel ${name}.`,
    pair: "Tippen Sie in der Liste auf diesen Namen und dann auf „Koppeln“.",
    why: "Die Liste kommt von Ihrem Browser: Das Etikett gelangt per Bluetooth auf den Anhänger. Android fragt vielleicht zuerst nach Geräten in der Nähe: Erlauben Sie das.",
    show: "Liste zeigen",
    closed: "War Ihr Anhänger nicht in der Liste?",
    wakeAgain: "Drücken Sie seine Taste noch einmal: Ein Anhänger schläft schnell wieder ein.",
    near: "Halten Sie ihn direkt ans Gerät.",
    allow:
      "Schalten Sie Bluetooth ein. Erlauben Sie Ihrem Browser auf Android auch Geräte in der Nähe oder den Standort.",
    elsewhere: "Schließen Sie andere Apps und Seiten, die den Anhänger verwenden.",
    again: "Liste noch einmal zeigen",
    later: "Nicht jetzt",
  },
  run: {
    companions: "In derselben Buchung",
    done: (index, destination) => `Er zeigt ${destination}. Befestigen Sie ihn an Gepäckstück ${index}.`,
  },
  hint: {
    length: (n) => `Ein Buchungscode hat sechs Buchstaben und Ziffern; Ihrer hat ${n}.`,
    looks:
      "Er sieht aus wie K7Q2ZD. Der Buchstabe O und die Ziffer 0 werden leicht verwechselt, auch I und 1.",
    surname: "Geben Sie nur den Nachnamen ein, wie in der Buchung, ohne Vornamen oder Titel.",
  },
  otherBag: {
    title: (n) => `Dieser Anhänger gehört zu Gepäckstück ${n}`,
    titleOf: (name, n) => `Dieser Anhänger gehört zu Gepäckstück ${n} von ${name}`,
    body: "Ein Anhänger zeigt ein Gepäckstück. Wenn Sie ihn umschreiben, hat das andere keinen Anhänger mehr.",
    move: (n) => `Für Gepäckstück ${n} verwenden`,
    another: "Anderen Anhänger nehmen",
  },
  elsewhere: {
    title: "Dieser Browser erreicht Ihren Anhänger nicht",
    ios: "Anhänger werden über Bluetooth beschrieben. Safari und Chrome bieten das auf iPhone und iPad nicht an. So geht es:",
    inApp: "Diese Seite ist in einer anderen App geöffnet, die kein Bluetooth hat. Chrome hat es.",
    other:
      "Anhänger werden über Bluetooth beschrieben. Chrome und Edge bieten das an, auf Android und auf Computern.",
    openChrome: "In Chrome öffnen",
    iosBrowser: "Browser mit Bluetooth holen",
    scan: "Scannen Sie das mit einem Android-Gerät, oder öffnen Sie es auf einem Computer in Chrome:",
    code: (address) => `QR-Code von ${address}`,
    kiosks: "Auch ein Automat beschreibt Ihren Anhänger:",
  },
  share: {
    action: "Auf anderem Gerät öffnen",
    body: "Scannen Sie diesen Code mit Ihrem anderen Gerät. Er enthält keine Buchung: Die geben Sie dort ein.",
    hereTitle: "Geben Sie Ihre Buchung auf diesem Gerät ein",
    here: "Dieses Gerät kennt die Reise noch nicht. Mit dem Link wurde nichts übertragen.",
  },
  link: {
    which: "Welches Gepäckstück bekommt ihn?",
    lead: "Finden Sie Ihre Reise: Ihr Gepäckstück kommt dann auf diesen Anhänger.",
    yours: "Ist das Ihre Buchung?",
    yoursBody:
      "Sie kam mit dem Link, den Sie geöffnet haben. Niemand wird danach gefragt, bevor Sie Ja sagen.",
    yes: "Ja, diese Reise suchen",
    no: "Nein, meine eingeben",
    otherTitle: "Der Link nennt eine andere Buchung",
    other: "Ihre eigene Reise bleibt auf diesem Gerät. Die Buchung des Links wird nicht verwendet.",
    allOnTags: "Jedes Gepäckstück dieser Reise hat einen Anhänger.",
    open: "Meine Reise öffnen",
  },
  unsupported: {
    ios: "Safari und Chrome können das auf iPhone und iPad nicht. Nehmen Sie ein Android-Gerät, einen Computer oder einen Papieranhänger.",
    inApp: "Öffnen Sie diese Seite direkt in Chrome, nicht in einer anderen App.",
  },
} satisfies PassengerWords;
