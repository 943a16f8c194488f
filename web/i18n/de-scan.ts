/** The texts of scanning a boarding pass in de, a part of de-passenger.ts. */
import { text } from "./forms.ts";

const TYPE = "Wählen Sie ein Foto oder geben Sie stattdessen den Buchungscode ein.";

export const scan = {
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
};

export const camera = {
  refused: text(
    "Diese Seite darf die Kamera nicht verwenden.",
    "Erlauben Sie die Kamera für diese Seite in den Einstellungen Ihres Browsers oder wählen Sie ein Foto.",
  ),
  blocked: text("Ihre Organisation hat die Kamera blockiert.", TYPE),
  missing: text("Dieses Gerät hat keine Kamera, die hier verwendet werden kann.", TYPE),
  busy: text("Eine andere App verwendet die Kamera.", "Schließen Sie diese App und versuchen Sie es erneut."),
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
};
