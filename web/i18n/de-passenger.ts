/** Deutsch: die weiteren Seiten für Fluggäste. Begriffe wie in glossary.md. */
import { type PassengerWords, text } from "./dictionary.ts";
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
    refused: text(
      "Diese Seite darf die Kamera nicht verwenden.",
      "Erlauben Sie die Kamera für diese Seite in den Einstellungen Ihres Browsers oder wählen Sie ein Foto.",
    ),
    blocked: text("Ihre Organisation hat die Kamera blockiert.", TYPE),
    missing: text("Dieses Gerät hat keine Kamera, die hier verwendet werden kann.", TYPE),
    busy: text(
      "Eine andere App verwendet die Kamera.",
      "Schließen Sie diese App und versuchen Sie es erneut.",
    ),
    lost: text("Die Kamera hat sich abgeschaltet.", "Öffnen Sie sie erneut."),
    reader_unavailable: text(
      "Der Codeleser konnte nicht geladen werden.",
      "Prüfen Sie, ob Sie online sind, und versuchen Sie es erneut.",
    ),
    no_code: text(
      "Auf diesem Foto ist kein Code, den wir lesen können.",
      "Wählen Sie ein scharfes Foto, das den ganzen Code zeigt.",
    ),
    not_boarding_pass: text(
      "Dieser Code gehört nicht zu einer Bordkarte.",
      "Zeigen Sie den Code, den Ihre Fluggesellschaft gedruckt oder gesendet hat.",
    ),
    not_a_picture: text(
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
    locksTitle: "Kümmern Sie sich zuerst um Ihren Anhänger",
    locks: (tags) =>
      `Noch gesperrt für eine Reise, die auf dieser Seite geöffnet wurde: ${tags}. Nach einer anderen Anmeldung wäre das Leeren auf dieser Seite nicht mehr möglich.`,
    outboxTitle: "Einer Ihrer Anhänger wird noch bestätigt",
    outbox:
      "Diese Seite muss das der Fluggesellschaft noch melden. Nach einer anderen Anmeldung könnte die Meldung verloren gehen.",
    unknownTitle: "Wir können Ihre Anhänger gerade nicht prüfen",
    unknown:
      "Vor einer anderen Anmeldung müssen wir sicher sein, dass bei Ihren Anhängern nichts mehr offen ist.",
    choose: "Welche Reise?",
    journey: (destination, day) => `Nach ${destination}, ${day}`,
    stay: "Weiter wie bisher",
  },
  cached: {
    offline: (moment) => `Das ist Ihre Reise, Stand: ${moment}.`,
    forget: "Meine Daten von diesem Gerät entfernen",
    forgetTitle: "Ihre Daten von diesem Gerät entfernen?",
    forgetBody:
      "Ihre Anhänger behalten ihr Etikett und bleiben für Ihre Reise gesperrt. Um später einen zu leeren, suchen Sie Ihre Reise wieder.",
    forgetYes: "Entfernen",
    forgetting: "Wird entfernt …",
    forgetWaiting:
      "Einer Ihrer Anhänger wird noch bestätigt. Wenn Sie Ihre Daten jetzt entfernen, erfährt die Fluggesellschaft vielleicht nie davon.",
    forgetAnyway: "Trotzdem entfernen",
  },
  addBag: {
    action: "Gepäckstück hinzufügen",
    title: "Gepäck\u00adstück zu dieser Reise hinzufügen?",
    body: "Es erhält eine Gepäcknummer Ihrer Fluggesellschaft. Deren Gepäckregeln gelten weiterhin.",
    working: "Gepäckstück wird hinzugefügt …",
    added: (n) => `Gepäckstück ${n} wurde hinzugefügt.`,
    noRange: "Ihre Fluggesellschaft vergibt hier keine Gepäcknummern.",
    noRangeNext: "Geben Sie Ihr Gepäckstück am Schalter auf, dann erscheint es hier.",
  },
  card: {
    ready: "Bereit für die Gepäckabgabe",
    more: (n) => `Mehr zu Gepäckstück ${n}`,
    putBack: "Etikett zurückschreiben",
    check: (tag) => `${tag}: bitte prüfen`,
    older: plural("de", { one: "1 älterer Anhänger", other: "{n} ältere Anhänger" }),
    finished: "Reise beendet. Alle Anhänger sind leer.",
  },
  arrival: {
    title: "Angekommen? Leeren Sie Ihren Anhänger",
    body: "Ein altes Etikett kann Ihr Gepäck auf der nächsten Reise fehlleiten.",
    next: (tag) => `Weiter: Anhänger ${tag} leeren`,
    findFirst: "Zeigt der Anhänger eine Reise von Ihnen? Suchen Sie zuerst diese Reise.",
    early: "Ihre Reise ist noch nicht zu Ende. Ohne dieses Etikett braucht Ihr Gepäckstück ein neues.",
  },
  lost: {
    badge: (tag) => `${tag} als verloren gemeldet`,
    report: "Verlust melden",
    title: (tag) => `Anhänger ${tag} als verloren melden?`,
    body: "Das Personal der Fluggesellschaft sieht dann, dass er verloren ist. Nur Sie und das Personal können ihn beschreiben oder leeren. Ihr Gepäck bleibt bei dieser Reise.",
    found: "Ich habe es wieder",
    foundLabel: (tag) => `Ich habe Anhänger ${tag} wieder`,
  },
  found: {
    action: "Ich habe dieses Gepäckstück gefunden",
    title: "Wo ist das Gepäck\u00adstück?",
    lead: "Die Fluggesellschaft und die Person, der es gehört, lesen, was Sie schreiben. Niemand fragt, wer Sie sind.",
    airport: "Flughafen",
    airportHint: "Drei Buchstaben, etwa OSL",
    airportWrong: "Geben Sie die drei Buchstaben ein, etwa OSL.",
    desk: "Schalter oder Band",
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
    done: "Danke. Die Person, der es gehört, und die Fluggesellschaft wissen jetzt Bescheid.",
    doneNext:
      "Bitte geben Sie es an einem Schalter der Fluggesellschaft ab. Geht das nicht, lassen Sie es, wo es ist.",
    reported: (moment) => `Ihr Gepäckstück wurde gefunden, ${moment}`,
    trace: "Wo ist es?",
    traceTitle: (tag) => `Gepäck\u00adstück mit Anhänger ${tag}`,
    reports: "Meldungen",
    none: "Es wurde noch nicht als gefunden gemeldet.",
    more: plural("de", {
      one: "1 weitere Meldung, die das Personal der Fluggesellschaft sieht",
      other: "{n} weitere Meldungen, die das Personal der Fluggesellschaft sieht",
    }),
    atDesk: (desk) => `Schalter oder Band: ${desk}`,
    mute: "Meldungen ausblenden",
    unmute: "Wieder zeigen",
    news: "Es gibt Neues zu Ihrem Gepäckstück",
    notify: "Diesem Telefon Bescheid geben, wenn es jemand meldet",
    notifyRefused:
      "Ihr Browser erlaubt das nicht. Erlauben Sie in seinen Einstellungen die Benachrichtigungen dieser Seite und versuchen Sie es noch einmal.",
    linkTitle: "Standort teilen",
    linkBody:
      "Fügen Sie den Link von „Wo ist?“ (Apple) oder „Find Hub“ (Google) ein. Das Personal der Fluggesellschaft kann ihn öffnen, und Sie sehen, wann. Er wird gelöscht, sobald Sie Ihr Gepäckstück wiederhaben.",
    link: "Link zum Standort",
    linkWrong: "Das ist kein Link von „Wo ist?“ oder „Find Hub“.",
    linkAdd: "Link teilen",
    linkOpened: (airline, moment) => `Geöffnet von ${airline}, ${moment}`,
    linkUnopened: "Noch nicht geöffnet",
    linkRemove: "Nicht mehr teilen",
  },
  attempts: {
    title: plural("de", {
      one: "Jemand hat versucht, diesen Anhänger zu entsperren",
      other: "Jemand hat {n}-mal versucht, diesen Anhänger zu entsperren",
    }),
    body: (moment) =>
      `Die Angaben waren falsch, zuletzt am ${moment}. Wenn Sie das nicht waren, behalten Sie Ihr Gepäck im Auge.`,
  },
  taken: {
    title: (tag) => `Ihr Etikett wurde von ${tag} entfernt`,
    proof: (moment) =>
      `Mit Ihren Buchungsdaten entsperrt, ${moment}. Wenn Sie das nicht waren, wenden Sie sich an den Schalter.`,
    staff: (moment) =>
      `Personal der Fluggesellschaft hat den Anhänger entsperrt, ${moment}. Wenn Sie nicht wissen, warum, fragen Sie am Schalter.`,
    voided: (moment) =>
      `Der Anhänger selbst hat gemeldet, dass er Ihr Etikett nicht mehr trägt, ${moment}. Wenn Sie es brauchen, schreiben Sie es erneut.`,
    displaced: (moment) =>
      `Ihre Buchung hatte mehr Anhänger als nötig; der älteste wurde entsperrt, ${moment}.`,
  },
  remembered: {
    ready: (tag) =>
      `Aktivieren Sie Anhänger ${tag} und halten Sie ihn ans Gerät. Diesmal erscheint keine Liste.`,
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
    show: "Liste zeigen",
    closed: "Ihr Anhänger fehlt in der Liste?",
    wakeAgain: "Drücken Sie seine Taste noch einmal: Ein Anhänger schläft schnell wieder ein.",
    near: "Halten Sie ihn direkt ans Gerät.",
    allow:
      "Schalten Sie Bluetooth ein. Erlauben Sie Ihrem Browser auf Android auch Geräte in der Nähe oder den Standort.",
    elsewhere: "Schließen Sie andere Apps und Seiten, die den Anhänger verwenden.",
    again: "Liste noch einmal zeigen",
    later: "Nicht jetzt",
  },
  proof: {
    title: (tag) => `Anhänger ${tag} entsperren`,
    body: "Dieser Anhänger ist für eine andere Reise gesperrt. Geben Sie deren Buchungscode und Nachnamen ein, oder nehmen Sie einen anderen.",
    hints: "Die Reise auf dem Anhänger",
    route: "Strecke",
    recordLocatorMissing: "Geben Sie den Buchungscode der anderen Reise ein.",
    surnameMissing: "Geben Sie den Nachnamen aus der anderen Reise ein.",
    attemptsLeft: plural("de", { one: "Letzter Versuch", other: "Noch {n} Versuche" }),
    submit: "Entsperren",
    keepsLink: "Der Anhänger bleibt verbunden, während Sie tippen.",
    afterLast: "Nach dem letzten Versuch 15 Minuten warten oder Anhänger wechseln.",
  },
  run: {
    companions: "In derselben Buchung",
    done: (index, destination) =>
      `Er zeigt ${destination}. Befestigen Sie ihn an Gepäckstück ${index}, dann zur Gepäckabgabe.`,
    alsoOn: (tag) => `Anhänger ${tag} zeigt dieses Etikett auch noch. Vor der nächsten Reise leeren.`,
    still: (tag) => `Ihr Gepäck ist weiter auf Anhänger ${tag}.`,
    old: (tag) => `Alter Anhänger ${tag}`,
  },
  hint: {
    other: (letter) => `Der Buchungscode dieser Reise beginnt mit ${letter}. Das zählte nicht als Versuch.`,
    length: (n) => `Ein Buchungscode hat sechs Buchstaben und Ziffern; Ihrer hat ${n}.`,
    looks:
      "Ein Buchungs\u00adcode sieht aus wie X4T9KL. Der Buchstabe O und die Ziffer 0 werden leicht verwechselt, auch I und 1.",
    surname: "Geben Sie nur den Nachnamen ein, wie in der Buchung, ohne Vornamen oder Titel.",
    accents: "Umlaute sind egal: Ü, U und UE gelten gleich.",
  },
  unchanged: "Der Anhänger zeigt noch, was er vorher zeigte.",
  otherBag: {
    title: (n) => `Dieser Anhänger gehört zu Gepäckstück ${n}`,
    titleOf: (name, n) => `Dieser Anhänger gehört zu Gepäckstück ${n} von ${name}`,
    body: "Ein Anhänger zeigt ein Gepäckstück. Wenn Sie ihn umschreiben, hat das andere keinen Anhänger mehr.",
    move: (n) => `Für Gepäckstück ${n} verwenden`,
    another: "Anderen Anhänger nehmen",
    labelTitle: "Dieser Anhänger zeigt ein anderes Etikett",
    labelBody:
      "Es gehört vielleicht jemand anderem. Wenn Sie es ersetzen, hat dessen Gepäck kein Etikett mehr.",
    replace: "Etikett ersetzen",
  },
  elsewhere: {
    title: "Dieser Browser erreicht Ihren Anhänger nicht",
    ios: "Browser auf dem iPhone erreichen keine Gepäckanhänger. So geht es:",
    inApp: "Diese Seite ist in einer anderen App geöffnet, die kein Bluetooth hat. Chrome hat es.",
    other:
      "Anhänger werden über Bluetooth beschrieben. Chrome und Edge bieten das an, auf Android und auf Computern.",
    openChrome: "In Chrome öffnen",
    iosBrowser: "Browser mit Bluetooth holen",
    scan: "Scannen Sie das mit einem Android-Gerät, oder öffnen Sie es auf einem Computer in Chrome:",
    code: (address) => `QR-Code von ${address}`,
    kiosks: "Oder an einem Automaten:",
  },
  delegate: {
    action: "Anhänger mit einem anderen Telefon beschreiben",
    lead: "Falls dieses Telefon es nicht kann. Die andere Person sieht diese Reise mit Ihrem Vornamen und dem ersten Buchstaben Ihres Nachnamens, aber nicht Ihren Buchungscode. Sie beide können das jederzeit beenden.",
    show: "Code zeigen",
    scan: "Scannen Sie das mit dem anderen Telefon",
    code: "Code mit einem Link für das andere Telefon",
    left: (time) => `Noch ${time} gültig`,
    send: "Link senden",
    compare: "Dieselbe Zahl auf beiden Telefonen?",
    compareBody: "Zeigt das andere Telefon eine andere Zahl oder keine, brechen Sie hier ab.",
    yes: "Ja, dieselbe",
    no: "Nein, abbrechen",
    waiting: "Warten auf das andere Telefon …",
    active: "Das andere Telefon kann jetzt schreiben",
    activeBody: "Diese Seite sagt Ihnen, wann Ihr Anhänger fertig ist.",
    ready: "Ihr Anhänger ist fertig",
    end: "Freigabe beenden",
    ended: "Freigabe beendet",
    endedNext:
      "Das andere Telefon kann mit dieser Buchung nichts mehr tun. Was es geschrieben hat, bleibt auf dem Anhänger.",
    endedHere:
      "Dieses Telefon kann mit jener Buchung nichts mehr tun. Was es geschrieben hat, bleibt auf dem Anhänger.",
    gone: "Dieser Code gilt nicht mehr",
    goneNext:
      "Seine Zeit ist um, oder er wurde auf zwei Telefonen verwendet. Lassen Sie sich einen neuen zeigen.",
    askTitle: "Für jemand anderen einen Anhänger schreiben?",
    ask: "Ihr Telefon schreibt den Anhänger für diese Buchung, bis jemand von Ihnen beiden das beendet.",
    askYes: "Ja, weiter",
    noCode: "Dieser Link enthält keinen Code",
    noCodeNext: "Scannen Sie den Code auf dem anderen Telefon noch einmal.",
    forOther: "Sie schreiben für jemand anderen",
    forOtherBody: "Nachname und Buchungscode sind für Sie verborgen.",
  },
  unknownHere: {
    title: "Geben Sie Ihre Buchung auf diesem Gerät ein",
    lead: "Dieses Gerät kennt die Reise noch nicht.",
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
    again: "Erneut schreiben",
    allOnTags: "Jedes Gepäckstück dieser Reise hat einen Anhänger.",
    open: "Meine Reise öffnen",
  },
  unsupported: {
    ios: "Safari und Chrome können das auf iPhone und iPad nicht. Nehmen Sie ein Android-Gerät, einen Computer oder einen Papieranhänger.",
    inApp: "Öffnen Sie diese Seite direkt in Chrome, nicht in einer anderen App.",
  },
} satisfies PassengerWords;
