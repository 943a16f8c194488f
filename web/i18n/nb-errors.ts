/** Norsk bokmål: feil. Begreper som i glossary.md. */
import { type ErrorWords, said } from "./dictionary.ts";

const AGAIN = "Prøv en gang til.";
const OPERATOR = "Bruk et papirmerke, og si fra til flyselskapets personale.";
const SIGN_IN = "Gå tilbake til start og finn reisen din på nytt.";
const UPDATE = "Last siden på nytt for å få nyeste versjon.";
const CHECKED = "Ikke bruk det på denne reisen, og få det kontrollert.";
const CLOSER = "Hold merket inntil denne enheten og prøv igjen.";
const TWICE = `${AGAIN} Skjer det to ganger, må merket kontrolleres.`;

export const errors = {
  cancelled: said("Du avbrøt før noe ble endret.", "Begynn på nytt når du er klar."),
  invalid_request: said("Noe er galt med denne forespørselen.", "Se over det du skrev, og prøv igjen."),
  busy: said("Det arbeides allerede med dette merket.", "Vent til det er ferdig, og prøv igjen."),
  unknown_device: said("Siden har mistet forbindelsen med merket.", "Velg merket ditt på nytt."),
  outbox_not_empty: said(
    "Et av merkene dine er ennå ikke bekreftet.",
    "Hold deg på nett litt til, og logg deg så ut.",
  ),
  clock_wrong: said(
    "Datoen eller klokkeslettet på denne enheten ser ut til å være feil.",
    "Sett begge til automatisk i innstillingene, og prøv igjen.",
  ),
  internal: said("Noe uventet gikk galt.", `${AGAIN} Skjer det to ganger, vis personalet koden nedenfor.`),
  unsupported: said(
    "Denne nettleseren kan ikke kommunisere med bagasjemerker.",
    "Åpne siden i Chrome eller Edge på Android, Windows, Mac eller ChromeOS.",
  ),
  insecure_context: said(
    "Siden ble ikke åpnet på en sikker måte.",
    "Åpne den på nytt med en adresse som begynner med https.",
  ),
  blocked_by_policy: said(
    "Bluetooth er blokkert av organisasjonen din eller i nettleserens innstillinger.",
    "Tillat det for dette nettstedet i innstillingene. Går ikke det, spør den som har ansvar for enheten.",
  ),
  bluetooth_off: said(
    "Bluetooth er slått av, eller enheten har det ikke.",
    "Slå det på i innstillingene, eller bruk en annen enhet.",
  ),
  bluetooth_unavailable: said(
    "Bluetooth er slått av, eller nettleseren har ikke lov til å bruke det.",
    "Slå det på i innstillingene. Er det allerede på, spør den som har ansvar for enheten.",
  ),
  permission_refused: said(
    "Siden har ikke lov til å bruke Bluetooth.",
    "Gi nettleseren tilgang til enheter i nærheten i innstillingene, og prøv igjen.",
  ),
  needs_user_gesture: said("Listen over merker åpnes bare etter et trykk.", "Trykk på knappen en gang til."),
  out_of_reach: said(
    "Merket svarte ikke.",
    "Aktiver det med knappen, hold det inntil denne enheten og prøv igjen.",
  ),
  link_lost: said("Forbindelsen med merket ble brutt.", CLOSER),
  timeout: said("Merket brukte for lang tid på å svare.", CLOSER),
  not_a_tag: said(
    "Den enheten er ikke et bagasjemerke vi kjenner.",
    "Velg enheten med et navn som begynner med EBT.",
  ),
  operation_refused: said("Merket avviste denne enheten.", TWICE),
  link_busy: said("Bluetooth er opptatt på denne enheten.", "Vent noen sekunder og prøv igjen."),
  wrong_tag: said(
    "Dette er et annet merke enn det du valgte.",
    "Sammenlign nummeret som er trykt på merket, og velg på nytt.",
  ),
  untrusted_tag: said("Merket kunne ikke bevise at det er ekte.", CHECKED),
  generation_refused: said("Merket tilbød en utdatert forbindelse.", CHECKED),
  secure_session_failed: said(
    "Det kom ikke i stand noen sikker forbindelse.",
    "Hold merket nærmere og prøv igjen.",
  ),
  client_refused: said("Merket godtok ikke denne enheten.", SIGN_IN),
  token_refused: said("Merket godtok ikke tillatelsen til å skrive.", AGAIN),
  write_refused: said("Merket godtok ikke etiketten. Det viser fortsatt det samme som før.", AGAIN),
  low_battery: said("Merket har for lite strøm til å endre skjermen.", "Lad det eller bytt batteri."),
  tag_busy: said(
    "Merket er opptatt eller venter på at knappen trykkes.",
    "Trykk på knappen på merket, vent noen sekunder og prøv igjen.",
  ),
  lockout: said("Merket har låst seg etter flere avviste forsøk.", "Vent fem minutter og prøv igjen."),
  protocol: said("Merket ga et svar som ikke gir mening.", TWICE),
  outcome_unknown: said(
    "Forbindelsen ble brutt mens skjermen ble endret.",
    "Se på merket. Viser det ikke reisemålet ditt, prøv igjen.",
  ),
  custody_proof_cancelled: said(
    "Det låste merket hører fortsatt til den andre reisen.",
    "Spør passasjeren det tilhører om opplysningene, eller ta et annet merke.",
  ),
  custody_proof_needed: said(
    "Dette merket er låst til en annen reise.",
    "Lås det opp med opplysningene fra den reisen, eller ta et annet merke.",
  ),
  custody_proof_attempts_exceeded: said(
    "Det er ingen forsøk igjen for dette merket.",
    "Ta et annet merke. Eller spør passasjeren det tilhører, og prøv igjen om 15 minutter. Den passasjeren kan fortsatt bruke det.",
  ),
  tag_carries_other_bag: said(
    "Dette merket hører til en annen koffert.",
    "Ta et annet merke, eller flytt dette.",
  ),
  tag_shows_other_label: said(
    "Dette merket viser noen andres etikett.",
    "Ta et annet merke, eller spør hvem det tilhører før du skriver over det.",
  ),
  custody_proof_required: said(
    "Dette merket er låst til en reise som ikke er åpnet her.",
    "Er det din reise, finn den her først. Ellers kan bare passasjeren på den reisen gjøre dette.",
  ),
  custody_proof_invalid: said(
    "Opplysningene stemmer ikke med reisen på merket.",
    "Se over begge feltene og prøv igjen.",
  ),
  device_locked: said(
    "En annen reise har nettopp tatt dette merket.",
    "Ta et annet merke, eller lås opp dette først.",
  ),
  not_lock_holder: said(
    "Merket hører til en annen passasjers reise.",
    "Bare den passasjeren eller flyselskapets personale kan tømme det.",
  ),
  device_lost: said("Merket er meldt tapt.", "Lever det til flyselskapets personale."),
  too_many_attempts: said("Det ble for mange forsøk.", "Vent noen minutter og prøv igjen."),
  too_many_requests: said("Det kom for mange forespørsler samtidig.", "Vent et minutt og prøv igjen."),
  journey_not_found: said("Vi finner ikke denne reisen.", "Se over bookingreferansen og etternavnet."),
  baggage_not_found: said(
    "Denne kofferten er ikke lenger med på reisen.",
    "Gå tilbake til reisen og velg kofferten på nytt.",
  ),
  airline_required: said(
    "Flere flyselskaper har en booking med denne referansen og etternavnet.",
    "Velg ditt. Flynummeret ditt begynner med bokstavene.",
  ),
  delegation_ended: said(
    "Denne koden gjelder ikke, eller ikke lenger, eller tillatelsen er avsluttet.",
    "Be om en ny kode på den andre telefonen.",
  ),
  device_not_found: said("Merket er ikke registrert her.", "Bruk et annet merke."),
  payload_mismatch: said(
    "Reisen din ble endret for et øyeblikk siden.",
    "Gå tilbake til reisen, se over etiketten og skriv den på nytt.",
  ),
  bag_limit: said("Denne reisen har allerede ti kofferter.", "Be flyselskapets personale om hjelp."),
  invalid_bcbp_format: said("Boardingkortet kan ikke leses.", "Skriv inn bookingreferansen i stedet."),
  invalid_bsm_format: said("Bagasjemeldingen kan ikke leses.", "Rett den der den kommer fra."),
  unauthorized_client: said("Siden er ikke satt opp til å bruke tjenesten.", OPERATOR),
  unauthorized_token: said("Økten din er utløpt.", SIGN_IN),
  invalid_federated_token: said("Flyselskapets app kunne ikke logge deg inn.", "Logg inn på nytt i appen."),
  invalid_nonce: said("Innloggingen tok for lang tid.", AGAIN),
  invalid_attestation: said(
    "Enheten ble ikke gjenkjent.",
    `${AGAIN} Skjer det to ganger, oppdater nettleseren.`,
  ),
  invalid_credentials: said(
    "Brukernavn eller passord er feil.",
    "Skriv inn begge på nytt, eller spør den som driver automaten.",
  ),
  invalid_refresh_token: said("Økten din er avsluttet.", SIGN_IN),
  invalid_dpop_proof: said(
    "Tjenesten godtar ikke signaturen til denne enheten.",
    "Kontroller at dato og klokkeslett stemmer, og prøv igjen.",
  ),
  insufficient_scope: said("Du har ikke lov til å gjøre dette her.", "Be flyselskapets personale om hjelp."),
  required_info_not_provided: said("Det mangler noe.", "Fyll ut alle feltene og prøv igjen."),
  stale_statement: said("Merket er skrevet på nytt i mellomtiden.", "Hold det nær og prøv igjen."),
  stale_attachment: said(
    "Merket er knyttet på nytt i mellomtiden.",
    "Du trenger ikke gjøre noe: den nyeste tilknytningen gjelder.",
  ),
  gatt_version_refused: said(
    "Dette merket kan bare skrives over den sikre forbindelsen.",
    "Hold det nærmere og prøv igjen.",
  ),
  idempotency_in_flight: said("Den samme forespørselen behandles ennå.", "Vent et sekund og prøv igjen."),
  idempotency_key_reused: said("Siden gjentok en forespørsel med annet innhold.", UPDATE),
  not_found: said("Tjenesten kjenner ikke denne forespørselen.", UPDATE),
  method_not_allowed: said("Siden og tjenesten passer ikke sammen.", UPDATE),
  payload_too_large: said("Forespørselen var for stor.", UPDATE),
  unsupported_media_type: said("Siden og tjenesten passer ikke sammen.", UPDATE),
  internal_error: said("Det oppsto en feil i tjenesten.", "Prøv igjen om et minutt."),
  service_unavailable: said("Tjenesten er ikke tilgjengelig akkurat nå.", "Prøv igjen om et minutt."),
  network: said("Det er ingen forbindelse med tjenesten.", "Kontroller at du er på nett, og prøv igjen."),
  service_timeout: said("Tjenesten brukte for lang tid på å svare.", AGAIN),
  never_confirmed: said(
    "Flyselskapet kunne ikke få beskjed om dette merket på to uker.",
    "Skriv eller tøm merket på nytt.",
  ),
  invalid_answer: said("Tjenesten ga et svar som siden ikke forstår.", UPDATE),
  configuration_unavailable: said(
    "Siden får ikke kontakt med tjenesten.",
    "Kontroller at du er på nett, og prøv igjen.",
  ),
  configuration_invalid: said("Innstillingene for siden er ikke riktige.", OPERATOR),
  no_tag_roots: said("Siden er ikke satt opp til å stole på noe merke.", OPERATOR),
  no_client_key: said("Siden er ikke satt opp til å bruke tjenesten.", OPERATOR),
  storage_unavailable: said(
    "Nettleseren lar ikke siden lagre nøkkelen sin.",
    "Avslutt privat surfing eller tillat lagring, og prøv igjen.",
  ),
  passkeys_unsupported: said(
    "Denne nettleseren kan ikke bruke passnøkler her.",
    "Fortsett uten passnøkkel, eller åpne siden i en nyere nettleser.",
  ),
  passkey_refused: said("Passnøkkelen din kunne ikke brukes.", "Prøv igjen, eller fortsett uten passnøkkel."),
} satisfies ErrorWords;
