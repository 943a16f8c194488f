/** Norsk bokmål: feil. Begreper som i glossary.md. */
import type { ErrorWords } from "./dictionary.ts";
import { text } from "./forms.ts";

const AGAIN = "Prøv en gang til.";
const OPERATOR = "Bruk et papirmerke, og si fra til flyselskapets personale.";
const SIGN_IN = "Gå tilbake til start og finn reisen din på nytt.";
const UPDATE = "Last siden på nytt for å få nyeste versjon.";
const CHECKED = "Ikke bruk det på denne reisen, og få det kontrollert.";
const CLOSER = "Hold merket inntil denne enheten og prøv igjen.";
const TWICE = `${AGAIN} Skjer det to ganger, må merket kontrolleres.`;
const HELP = "Be flyselskapets personale om hjelp.";
const MINUTE = "Prøv igjen om et minutt.";
const ONLINE = "Kontroller at du er på nett, og prøv igjen.";

export const errors = {
  cancelled: text("Avbrutt.", "Ingenting ble endret."),
  invalid_request: text("Noe er galt med denne forespørselen.", "Se over det du skrev, og prøv igjen."),
  busy: text("Det arbeides allerede med dette merket.", "Vent til det er ferdig, og prøv igjen."),
  unknown_device: text("Siden har mistet forbindelsen med merket.", "Velg merket ditt på nytt."),
  outbox_not_empty: text(
    "Et av merkene dine er ennå ikke bekreftet.",
    "Hold deg på nett litt til, og logg deg så ut.",
  ),
  clock_wrong: text(
    "Datoen eller klokkeslettet på denne enheten ser ut til å være feil.",
    "Sett begge til automatisk i innstillingene, og prøv igjen.",
  ),
  internal: text(
    "Noe uventet gikk galt.",
    `${AGAIN} Skjer det to ganger, vis personalet koden under «Detaljer».`,
  ),
  unsupported: text(
    "Denne nettleseren kan ikke kommunisere med bagasjemerker.",
    "Åpne siden i Chrome eller Edge på Android, Windows, Mac eller ChromeOS.",
  ),
  insecure_context: text(
    "Siden ble ikke åpnet på en sikker måte.",
    "Åpne den på nytt med en adresse som begynner med https.",
  ),
  blocked_by_policy: text(
    "Bluetooth er blokkert av organisasjonen din eller i nettleserens innstillinger.",
    "Tillat det for dette nettstedet i innstillingene. Går ikke det, spør den som har ansvar for enheten.",
  ),
  bluetooth_off: text(
    "Bluetooth er slått av, eller enheten har det ikke.",
    "Slå det på i innstillingene, eller bruk en annen enhet.",
  ),
  bluetooth_unavailable: text(
    "Bluetooth er slått av, eller nettleseren har ikke lov til å bruke det.",
    "Slå det på i innstillingene. Er det allerede på, spør den som har ansvar for enheten.",
  ),
  permission_refused: text(
    "Siden har ikke lov til å bruke Bluetooth.",
    "Gi nettleseren tilgang til enheter i nærheten i innstillingene, og prøv igjen.",
  ),
  needs_user_gesture: text("Listen over merker åpnes bare etter et trykk.", "Trykk på knappen en gang til."),
  out_of_reach: text(
    "Merket svarte ikke.",
    "Aktiver det med knappen, hold det inntil denne enheten og prøv igjen.",
  ),
  link_lost: text("Forbindelsen med merket ble brutt.", CLOSER),
  timeout: text("Merket brukte for lang tid på å svare.", CLOSER),
  not_a_tag: text(
    "Den enheten er ikke et bagasjemerke vi kjenner.",
    "Velg enheten med et navn som begynner med EBT.",
  ),
  operation_refused: text("Merket avviste denne enheten.", TWICE),
  link_busy: text("Bluetooth er opptatt på denne enheten.", "Vent noen sekunder og prøv igjen."),
  wrong_tag: text(
    "Dette er et annet merke enn det du valgte.",
    "Sammenlign nummeret som er trykt på merket, og velg på nytt.",
  ),
  untrusted_tag: text("Merket kunne ikke bevise at det er ekte.", CHECKED),
  generation_refused: text("Merket tilbød en utdatert forbindelse.", CHECKED),
  outdated_table: text(
    "Denne enheten kjenner merket slik det var før oppdateringen.",
    `Slå Bluetooth av og på. ${TWICE}`,
  ),
  secure_session_failed: text(
    "Vi fikk ikke til en sikker forbindelse.",
    "Hold merket nærmere og prøv igjen.",
  ),
  client_refused: text("Merket godtok ikke denne enheten.", SIGN_IN),
  token_refused: text("Merket godtok ikke tillatelsen til å skrive.", AGAIN),
  write_refused: text("Merket godtok ikke etiketten og viser fortsatt det samme som før.", AGAIN),
  low_battery: text("Merket har for lite strøm til å endre skjermen.", "Lad det eller bytt batteri."),
  tag_busy: text(
    "Merket er opptatt eller venter på at knappen trykkes.",
    "Trykk på knappen på merket, vent noen sekunder og prøv igjen.",
  ),
  lockout: text("Merket har låst seg etter flere avviste forsøk.", "Vent fem minutter og prøv igjen."),
  protocol: text("Merket ga et svar vi ikke forstår.", TWICE),
  outcome_unknown: text(
    "Forbindelsen ble brutt mens skjermen ble endret.",
    "Se på merket. Viser det ikke reisemålet ditt, prøv igjen.",
  ),
  custody_proof_cancelled: text(
    "Merket er fortsatt låst til en annen reise.",
    "Spør eieren om opplysningene, eller bruk et annet merke.",
  ),
  custody_proof_needed: text(
    "Dette merket er låst til en annen reise.",
    "Skriv inn bookingreferansen og etternavnet for den reisen for å låse det opp, eller bruk et annet merke.",
  ),
  custody_proof_attempts_exceeded: text(
    "Det er ingen forsøk igjen for dette merket.",
    "Bruk et annet merke. Eller spør eieren, og prøv igjen om 15 minutter; eieren kan fortsatt bruke det.",
  ),
  tag_carries_other_bag: text(
    "Dette merket brukes allerede til en annen koffert.",
    "Bruk et annet merke, eller flytt dette.",
  ),
  tag_shows_other_label: text(
    "Dette merket viser noen andres etikett.",
    "Bruk et annet merke, eller spør hvem det tilhører før du skriver over det.",
  ),
  custody_proof_required: text(
    "Dette merket er låst til en reise som ikke er åpnet her.",
    "Er det din reise, finn den her først. Ellers kan bare passasjeren på den reisen gjøre dette.",
  ),
  custody_proof_invalid: text(
    "Opplysningene stemmer ikke med reisen på merket.",
    "Se over begge feltene og prøv igjen.",
  ),
  device_locked: text(
    "Dette merket ble nettopp låst til en annen reise.",
    "Bruk et annet merke, eller lås opp dette først.",
  ),
  not_lock_holder: text(
    "Merket hører til en annen passasjers reise.",
    "Bare den passasjeren eller flyselskapets personale kan tømme det.",
  ),
  device_lost: text("Merket er meldt tapt.", "Lever det til flyselskapets personale."),
  too_many_attempts: text("For mange forsøk.", "Vent noen minutter og prøv igjen."),
  too_many_requests: text("For mange forespørsler.", "Vent et minutt og prøv igjen."),
  journey_not_found: text("Vi finner ikke denne reisen.", "Se over bookingreferansen og etternavnet."),
  baggage_not_found: text(
    "Denne kofferten er ikke lenger med på reisen.",
    "Gå tilbake til reisen og velg kofferten på nytt.",
  ),
  airline_required: text(
    "Flere flyselskaper har en bestilling med denne referansen og etternavnet.",
    "Velg ditt. Flynummeret ditt begynner med bokstavene.",
  ),
  delegation_ended: text(
    "Denne koden gjelder ikke, eller ikke lenger, eller tillatelsen er avsluttet.",
    "Be om en ny kode på den andre telefonen.",
  ),
  device_not_found: text("Merket er ikke registrert her.", "Bruk et annet merke."),
  payload_mismatch: text(
    "Reisen din ble endret for et øyeblikk siden.",
    "Gå tilbake til reisen, se over etiketten og skriv den på nytt.",
  ),
  bag_limit: text("Denne reisen har allerede ti kofferter.", HELP),
  bag_refused: text("Flyselskapet tar ikke imot denne kofferten her.", "Gå til skranken deres."),
  invalid_bcbp_format: text("Boardingkortet kan ikke leses.", "Skriv inn bookingreferansen i stedet."),
  invalid_bsm_format: text("Bagasjemeldingen kan ikke leses.", "Rett den der den kommer fra."),
  unauthorized_client: text("Siden er ikke satt opp til å bruke tjenesten.", OPERATOR),
  unauthorized_token: text("Økten din er utløpt.", SIGN_IN),
  invalid_federated_token: text("Flyselskapets app kunne ikke logge deg inn.", "Logg inn på nytt i appen."),
  invalid_nonce: text("Innloggingen tok for lang tid.", AGAIN),
  invalid_attestation: text(
    "Enheten ble ikke gjenkjent.",
    `${AGAIN} Skjer det to ganger, oppdater nettleseren.`,
  ),
  invalid_credentials: text(
    "Brukernavn eller passord er feil.",
    "Skriv inn begge på nytt, eller spør den som driver automaten.",
  ),
  invalid_refresh_token: text("Økten din er avsluttet.", SIGN_IN),
  invalid_dpop_proof: text(
    "Tjenesten godtar ikke signaturen til denne enheten.",
    "Kontroller at dato og klokkeslett stemmer, og prøv igjen.",
  ),
  insufficient_scope: text("Du kan ikke gjøre dette her.", HELP),
  required_info_not_provided: text("Det mangler noe.", "Fyll ut alle feltene og prøv igjen."),
  stale_statement: text("Dette merket er blitt oppdatert i mellomtiden.", "Hold det nær og prøv igjen."),
  stale_attachment: text("Dette merket er blitt oppdatert i mellomtiden.", "Du trenger ikke gjøre noe."),
  gatt_version_refused: text(
    "Dette merket kan bare skrives via den sikre forbindelsen.",
    "Hold det nærmere og prøv igjen.",
  ),
  idempotency_in_flight: text(
    "Den samme forespørselen er fortsatt under behandling.",
    "Vent et sekund og prøv igjen.",
  ),
  idempotency_key_reused: text("Siden gjentok en forespørsel med annet innhold.", UPDATE),
  not_found: text("Tjenesten kjenner ikke denne forespørselen.", UPDATE),
  method_not_allowed: text("Siden og tjenesten passer ikke sammen.", UPDATE),
  payload_too_large: text("Forespørselen var for stor.", UPDATE),
  unsupported_media_type: text("Siden og tjenesten passer ikke sammen.", UPDATE),
  internal_error: text("Noe gikk galt hos oss.", MINUTE),
  service_unavailable: text("Tjenesten er ikke tilgjengelig akkurat nå.", MINUTE),
  network: text("Det er ingen forbindelse med tjenesten.", ONLINE),
  service_timeout: text("Tjenesten brukte for lang tid på å svare.", AGAIN),
  never_confirmed: text(
    "Flyselskapet har ikke fått beskjed om dette merket på to uker.",
    "Skriv på merket eller tøm det på nytt.",
  ),
  invalid_answer: text("Tjenesten ga et svar som siden ikke forstår.", UPDATE),
  configuration_unavailable: text("Siden får ikke kontakt med tjenesten.", ONLINE),
  configuration_invalid: text("Innstillingene for siden er ikke riktige.", OPERATOR),
  no_tag_roots: text("Siden er ikke satt opp til å stole på noe merke.", OPERATOR),
  no_client_key: text("Siden er ikke satt opp til å bruke tjenesten.", OPERATOR),
  storage_unavailable: text(
    "Nettleseren lar ikke siden lagre nøkkelen sin.",
    "Avslutt privat surfing eller tillat lagring, og prøv igjen.",
  ),
  passkeys_unsupported: text(
    "Denne nettleseren kan ikke bruke passnøkler her.",
    "Fortsett uten passnøkkel, eller åpne siden i en nyere nettleser.",
  ),
  passkey_refused: text("Passnøkkelen din kunne ikke brukes.", "Prøv igjen, eller fortsett uten passnøkkel."),
} satisfies ErrorWords;
