/** Deutsch: Fehler. Anrede „Sie“; Begriffe wie in glossary.md. */
import type { ErrorWords } from "./dictionary.ts";
import { text } from "./forms.ts";

const AGAIN = "Bitte versuchen Sie es noch einmal.";
const OPERATOR = "Nehmen Sie einen Papieranhänger und sagen Sie dem Personal der Fluggesellschaft Bescheid.";
const SIGN_IN = "Gehen Sie zurück zur Startseite und suchen Sie Ihre Reise erneut.";
const UPDATE = "Laden Sie die Seite neu, um die aktuelle Version zu erhalten.";
const CHECKED = "Verwenden Sie ihn für diese Reise nicht und lassen Sie ihn prüfen.";
const CLOSER = "Halten Sie den Anhänger dicht an dieses Gerät und versuchen Sie es erneut.";
const TWICE = `${AGAIN} Passiert es zweimal, muss der Anhänger geprüft werden.`;
const HELP = "Bitten Sie das Personal der Fluggesellschaft um Hilfe.";
const MINUTE = "Versuchen Sie es in einer Minute erneut.";
const ONLINE = "Prüfen Sie, ob Sie online sind, und versuchen Sie es erneut.";

export const errors = {
  cancelled: text("Abgebrochen.", "Es wurde nichts geändert."),
  invalid_request: text(
    "An dieser Anfrage stimmt etwas nicht.",
    "Prüfen Sie Ihre Eingaben und versuchen Sie es erneut.",
  ),
  busy: text(
    "Dieser Anhänger wird gerade schon bearbeitet.",
    "Warten Sie, bis das fertig ist, und versuchen Sie es erneut.",
  ),
  unknown_device: text(
    "Diese Seite hat die Verbindung zum Anhänger verloren.",
    "Wählen Sie Ihren Anhänger erneut aus.",
  ),
  outbox_not_empty: text(
    "Einer Ihrer Anhänger wird noch bestätigt.",
    "Bleiben Sie einen Moment online und melden Sie sich dann ab.",
  ),
  clock_wrong: text(
    "Datum oder Uhrzeit dieses Geräts scheinen nicht zu stimmen.",
    "Stellen Sie beides in den Einstellungen auf automatisch und versuchen Sie es erneut.",
  ),
  internal: text(
    "Etwas Unerwartetes ist schiefgegangen.",
    `${AGAIN} Passiert es zweimal, zeigen Sie dem Personal den Code unter „Einzelheiten“.`,
  ),
  unsupported: text(
    "Dieser Browser kann nicht mit Gepäckanhängern kommunizieren.",
    "Öffnen Sie diese Seite in Chrome oder Edge auf Android, Windows, Mac oder ChromeOS.",
  ),
  insecure_context: text(
    "Diese Seite wurde nicht sicher geöffnet.",
    "Öffnen Sie sie erneut mit einer Adresse, die mit https beginnt.",
  ),
  blocked_by_policy: text(
    "Bluetooth ist von Ihrer Organisation oder in den Einstellungen dieses Browsers blockiert.",
    "Erlauben Sie es dieser Website in den Einstellungen. Geht das nicht, fragen Sie die Person, die dieses Gerät betreut.",
  ),
  bluetooth_off: text(
    "Bluetooth ist aus, oder dieses Gerät hat keines.",
    "Schalten Sie es in den Einstellungen ein, oder nehmen Sie ein anderes Gerät.",
  ),
  bluetooth_unavailable: text(
    "Bluetooth ist aus, oder dieser Browser darf es nicht verwenden.",
    "Schalten Sie es in den Einstellungen ein. Ist es an, fragen Sie die Person, die dieses Gerät betreut.",
  ),
  permission_refused: text(
    "Diese Seite darf Bluetooth nicht verwenden.",
    "Erlauben Sie diesem Browser in den Einstellungen den Zugriff auf Geräte in der Nähe und versuchen Sie es erneut.",
  ),
  needs_user_gesture: text(
    "Die Liste der Anhänger öffnet sich nur nach einem Tippen.",
    "Tippen Sie noch einmal auf die Schaltfläche.",
  ),
  out_of_reach: text(
    "Der Anhänger hat nicht geantwortet.",
    "Aktivieren Sie ihn mit seiner Taste, halten Sie ihn dicht an dieses Gerät und versuchen Sie es erneut.",
  ),
  link_lost: text("Die Verbindung zum Anhänger ist abgerissen.", CLOSER),
  timeout: text("Der Anhänger hat zu lange nicht geantwortet.", CLOSER),
  not_a_tag: text(
    "Dieses Gerät ist kein Gepäckanhänger, den wir kennen.",
    "Wählen Sie das Gerät, dessen Name mit EBT beginnt.",
  ),
  operation_refused: text("Der Anhänger verweigert die Zusammenarbeit mit diesem Gerät.", TWICE),
  link_busy: text(
    "Bluetooth wird auf diesem Gerät gerade anderweitig verwendet.",
    "Warten Sie einige Sekunden und versuchen Sie es erneut.",
  ),
  wrong_tag: text(
    "Das ist ein anderer Anhänger als der gewählte.",
    "Vergleichen Sie die aufgedruckte Nummer und wählen Sie erneut.",
  ),
  untrusted_tag: text("Dieser Anhänger konnte nicht nachweisen, dass er echt ist.", CHECKED),
  generation_refused: text("Dieser Anhänger bot eine veraltete Verbindung an.", CHECKED),
  outdated_table: text(
    "Dieses Gerät kennt den Anhänger noch von vor dessen Update.",
    `Schalten Sie Bluetooth aus und wieder ein. ${TWICE}`,
  ),
  secure_session_failed: text(
    "Eine sichere Verbindung kam nicht zustande.",
    "Halten Sie den Anhänger näher an dieses Gerät und versuchen Sie es erneut.",
  ),
  client_refused: text("Der Anhänger hat dieses Gerät nicht akzeptiert.", SIGN_IN),
  token_refused: text("Der Anhänger hat die Erlaubnis zum Schreiben nicht akzeptiert.", AGAIN),
  write_refused: text(
    "Der Anhänger hat das Etikett nicht akzeptiert und zeigt noch, was er vorher zeigte.",
    AGAIN,
  ),
  low_battery: text(
    "Der Akku des Anhängers ist zu schwach, um die Anzeige zu ändern.",
    "Laden Sie ihn auf oder wechseln Sie die Batterie.",
  ),
  tag_busy: text(
    "Der Anhänger ist gerade beschäftigt oder wartet auf seine Taste.",
    "Drücken Sie die Taste am Anhänger, warten Sie einige Sekunden und versuchen Sie es erneut.",
  ),
  lockout: text(
    "Der Anhänger hat sich nach mehreren abgelehnten Versuchen gesperrt.",
    "Warten Sie fünf Minuten und versuchen Sie es erneut.",
  ),
  protocol: text("Der Anhänger hat eine unverständliche Antwort gegeben.", TWICE),
  outcome_unknown: text(
    "Die Verbindung riss ab, während sich die Anzeige änderte.",
    "Sehen Sie auf den Anhänger. Zeigt er Ihr Ziel nicht, versuchen Sie es erneut.",
  ),
  custody_proof_cancelled: text(
    "Der Anhänger ist weiterhin für eine andere Reise gesperrt.",
    "Fragen Sie die Person, der er gehört, nach den Angaben, oder nehmen Sie einen anderen Anhänger.",
  ),
  custody_proof_needed: text(
    "Dieser Anhänger ist für eine andere Reise gesperrt.",
    "Geben Sie Buchungscode und Nachnamen dieser Reise ein, um ihn zu entsperren, oder nehmen Sie einen anderen.",
  ),
  custody_proof_attempts_exceeded: text(
    "Für diesen Anhänger sind keine Versuche mehr übrig.",
    "Nehmen Sie einen anderen Anhänger. Oder fragen Sie die Person, der er gehört, und versuchen Sie es in 15 Minuten wieder; sie kann ihn weiter benutzen.",
  ),
  tag_carries_other_bag: text(
    "Dieser Anhänger wird schon für ein anderes Gepäckstück benutzt.",
    "Nehmen Sie einen anderen Anhänger oder beschreiben Sie diesen neu.",
  ),
  tag_shows_other_label: text(
    "Dieser Anhänger zeigt ein fremdes Etikett.",
    "Nehmen Sie einen anderen Anhänger, oder fragen Sie, wem er gehört, bevor Sie ihn überschreiben.",
  ),
  custody_proof_required: text(
    "Dieser Anhänger ist für eine Reise gesperrt, die hier nicht geöffnet ist.",
    "Ist es Ihre Reise, suchen Sie sie zuerst hier. Sonst kann das nur deren Fluggast tun.",
  ),
  custody_proof_invalid: text(
    "Diese Angaben passen nicht zur Reise auf dem Anhänger.",
    "Prüfen Sie beide Felder und versuchen Sie es erneut.",
  ),
  device_locked: text(
    "Dieser Anhänger wurde gerade für eine andere Reise gesperrt.",
    "Nehmen Sie einen anderen Anhänger oder entsperren Sie diesen zuerst.",
  ),
  not_lock_holder: text(
    "Dieser Anhänger gehört zur Reise eines anderen Fluggasts.",
    "Nur dieser Fluggast oder das Personal der Fluggesellschaft kann ihn leeren.",
  ),
  device_lost: text(
    "Dieser Anhänger wurde als verloren gemeldet.",
    "Bitte geben Sie ihn beim Personal der Fluggesellschaft ab.",
  ),
  too_many_attempts: text(
    "Es gab zu viele Versuche.",
    "Warten Sie einige Minuten und versuchen Sie es erneut.",
  ),
  too_many_requests: text("Zu viele Anfragen.", "Warten Sie eine Minute und versuchen Sie es erneut."),
  journey_not_found: text("Wir finden diese Reise nicht.", "Prüfen Sie Buchungs\u00adcode und Nachnamen."),
  baggage_not_found: text(
    "Dieses Gepäckstück gehört nicht mehr zur Reise.",
    "Gehen Sie zurück zu Ihrer Reise und wählen Sie das Gepäckstück erneut.",
  ),
  airline_required: text(
    "Mehrere Fluggesellschaften haben eine Buchung mit diesem Code und Nachnamen.",
    "Wählen Sie Ihre: Mit dem Kürzel beginnt Ihre Flugnummer.",
  ),
  delegation_ended: text(
    "Dieser Code gilt nicht oder nicht mehr, oder die Freigabe ist beendet.",
    "Lassen Sie sich auf dem anderen Telefon einen neuen Code zeigen.",
  ),
  device_not_found: text(
    "Dieser Anhänger ist hier nicht registriert.",
    "Verwenden Sie einen anderen Anhänger.",
  ),
  payload_mismatch: text(
    "Ihre Reise hat sich gerade geändert.",
    "Gehen Sie zurück zu Ihrer Reise, prüfen Sie das Etikett und schreiben Sie es erneut.",
  ),
  bag_limit: text("Diese Reise hat bereits zehn Gepäckstücke.", HELP),
  bag_refused: text(
    "Ihre Fluggesellschaft nimmt dieses Gepäckstück hier nicht an.",
    "Bitte gehen Sie zu ihrem Schalter.",
  ),
  invalid_bcbp_format: text(
    "Diese Bordkarte kann nicht gelesen werden.",
    "Geben Sie stattdessen den Buchungscode ein.",
  ),
  invalid_bsm_format: text(
    "Diese Gepäckmeldung kann nicht gelesen werden.",
    "Berichtigen Sie sie dort, wo sie herkommt.",
  ),
  unauthorized_client: text("Diese Seite ist für den Dienst nicht eingerichtet.", OPERATOR),
  unauthorized_token: text("Ihre Sitzung ist abgelaufen.", SIGN_IN),
  invalid_federated_token: text(
    "Die App der Fluggesellschaft konnte Sie nicht anmelden.",
    "Melden Sie sich in der App erneut an.",
  ),
  invalid_nonce: text("Die Anmeldung hat zu lange gedauert.", AGAIN),
  invalid_attestation: text(
    "Dieses Gerät wurde nicht erkannt.",
    `${AGAIN} Passiert es zweimal, aktualisieren Sie Ihren Browser.`,
  ),
  invalid_credentials: text(
    "Benutzername oder Passwort ist falsch.",
    "Geben Sie beides erneut ein, oder fragen Sie die Person, die diesen Automaten betreut.",
  ),
  invalid_refresh_token: text("Ihre Sitzung ist beendet.", SIGN_IN),
  invalid_dpop_proof: text(
    "Der Dienst akzeptiert die Signatur dieses Geräts nicht.",
    "Prüfen Sie, ob Datum und Uhrzeit stimmen, und versuchen Sie es erneut.",
  ),
  insufficient_scope: text("Das dürfen Sie hier nicht tun.", HELP),
  required_info_not_provided: text(
    "Es fehlt etwas.",
    "Füllen Sie alle Felder aus und versuchen Sie es erneut.",
  ),
  stale_statement: text(
    "Der Anhänger wurde inzwischen neu beschrieben.",
    "Halten Sie ihn an dieses Gerät und versuchen Sie es erneut.",
  ),
  stale_attachment: text("Dieser Anhänger wurde seitdem aktualisiert.", "Sie müssen nichts tun."),
  gatt_version_refused: text(
    "Dieser Anhänger muss über seine sichere Verbindung beschrieben werden.",
    "Halten Sie ihn näher an dieses Gerät und versuchen Sie es erneut.",
  ),
  idempotency_in_flight: text(
    "Dieselbe Anfrage wird noch bearbeitet.",
    "Warten Sie eine Sekunde und versuchen Sie es erneut.",
  ),
  idempotency_key_reused: text("Die Seite hat eine Anfrage mit anderem Inhalt wiederholt.", UPDATE),
  not_found: text("Der Dienst kennt diese Anfrage nicht.", UPDATE),
  method_not_allowed: text("Seite und Dienst passen nicht zusammen.", UPDATE),
  payload_too_large: text("Die Anfrage war zu groß.", UPDATE),
  unsupported_media_type: text("Seite und Dienst passen nicht zusammen.", UPDATE),
  internal_error: text("Bei uns ist etwas schiefgegangen.", MINUTE),
  service_unavailable: text("Der Dienst ist gerade nicht verfügbar.", MINUTE),
  network: text("Es besteht keine Verbindung zum Dienst.", ONLINE),
  service_timeout: text("Der Dienst hat zu lange nicht geantwortet.", AGAIN),
  never_confirmed: text(
    "Die Fluggesellschaft hat zwei Wochen lang keine Meldung zu diesem Anhänger erhalten.",
    "Beschreiben oder leeren Sie den Anhänger erneut.",
  ),
  invalid_answer: text("Der Dienst hat eine Antwort gegeben, die diese Seite nicht versteht.", UPDATE),
  configuration_unavailable: text("Die Seite erreicht den Dienst nicht.", ONLINE),
  configuration_invalid: text("Die Einstellungen dieser Seite stimmen nicht.", OPERATOR),
  no_tag_roots: text("Diese Seite ist nicht dafür eingerichtet, Anhängern zu vertrauen.", OPERATOR),
  no_client_key: text("Diese Seite ist für den Dienst nicht eingerichtet.", OPERATOR),
  storage_unavailable: text(
    "Ihr Browser lässt diese Seite ihren Schlüssel nicht speichern.",
    "Verlassen Sie den privaten Modus oder erlauben Sie das Speichern, und versuchen Sie es erneut.",
  ),
  passkeys_unsupported: text(
    "Dieser Browser kann hier keine Passkeys verwenden.",
    "Fahren Sie ohne Passkey fort oder öffnen Sie diese Seite in einem neueren Browser.",
  ),
  passkey_refused: text(
    "Ihr Passkey konnte nicht verwendet werden.",
    "Versuchen Sie es erneut oder fahren Sie ohne Passkey fort.",
  ),
} satisfies ErrorWords;
