/** Français : erreurs. Vouvoiement ; termes du glossary.md. */
import type { ErrorWords } from "./dictionary.ts";
import { text } from "./forms.ts";

const AGAIN = "Veuillez réessayer.";
const OPERATOR = "Utilisez une étiquette papier et prévenez le personnel de la compagnie.";
const SIGN_IN = "Revenez à l’accueil et recherchez à nouveau votre voyage.";
const UPDATE = "Rechargez la page pour obtenir la dernière version.";
const CHECKED = "Ne l’utilisez pas pour ce voyage et faites-la contrôler.";
const CLOSER = "Tenez l’étiquette contre cet appareil, puis réessayez.";
const TWICE = `${AGAIN} Si cela se reproduit, l’étiquette doit être contrôlée.`;
const HELP = "Demandez de l’aide au personnel de la compagnie.";
const MINUTE = "Réessayez dans une minute.";
const ONLINE = "Vérifiez que vous êtes en ligne, puis réessayez.";

export const errors = {
  cancelled: text("Annulé.", "Rien n’a été modifié."),
  invalid_request: text("Cette demande contient une erreur.", "Vérifiez votre saisie, puis réessayez."),
  busy: text("Cette étiquette est déjà en cours de traitement.", "Attendez la fin, puis réessayez."),
  unknown_device: text(
    "Cette page a perdu la connexion avec l’étiquette.",
    "Choisissez à nouveau votre étiquette.",
  ),
  outbox_not_empty: text(
    "Une de vos étiquettes est encore en cours de confirmation.",
    "Restez en ligne un instant, puis déconnectez-vous.",
  ),
  clock_wrong: text(
    "La date ou l’heure de cet appareil semble incorrecte.",
    "Réglez-les sur automatique dans les paramètres, puis réessayez.",
  ),
  internal: text(
    "Un problème inattendu est survenu.",
    `${AGAIN} Si cela se reproduit, montrez au personnel le code sous « Détails ».`,
  ),
  unsupported: text(
    "Ce navigateur ne peut pas communiquer avec les étiquettes.",
    "Ouvrez cette page dans Chrome ou Edge sur Android, Windows, Mac ou ChromeOS.",
  ),
  insecure_context: text(
    "Cette page n’a pas été ouverte de façon sécurisée.",
    "Rouvrez-la avec une adresse qui commence par https.",
  ),
  blocked_by_policy: text(
    "Le Bluetooth est bloqué par votre organisation ou dans les réglages de ce navigateur.",
    "Autorisez-le pour ce site dans les réglages. Si c’est impossible, adressez-vous au responsable de cet appareil.",
  ),
  bluetooth_off: text(
    "Le Bluetooth est désactivé, ou cet appareil n’en a pas.",
    "Activez-le dans les réglages, ou utilisez un autre appareil.",
  ),
  bluetooth_unavailable: text(
    "Le Bluetooth est désactivé, ou ce navigateur ne peut pas l’utiliser.",
    "Activez-le dans les réglages. S’il l’est déjà, adressez-vous au responsable de cet appareil.",
  ),
  permission_refused: text(
    "Cette page n’a pas le droit d’utiliser le Bluetooth.",
    "Autorisez ce navigateur à accéder aux appareils à proximité dans les réglages, puis réessayez.",
  ),
  needs_user_gesture: text(
    "La liste des étiquettes ne s’ouvre qu’après un appui.",
    "Appuyez à nouveau sur le bouton.",
  ),
  out_of_reach: text(
    "L’étiquette n’a pas répondu.",
    "Activez-la avec son bouton, tenez-la contre cet appareil, puis réessayez.",
  ),
  link_lost: text("La connexion avec l’étiquette a été coupée.", CLOSER),
  timeout: text("L’étiquette a mis trop de temps à répondre.", CLOSER),
  not_a_tag: text(
    "Cet appareil n’est pas une étiquette bagage reconnue.",
    "Choisissez celui dont le nom commence par EBT.",
  ),
  operation_refused: text("L’étiquette a refusé de fonctionner avec cet appareil.", TWICE),
  link_busy: text("Le Bluetooth de cet appareil est occupé.", "Attendez quelques secondes, puis réessayez."),
  wrong_tag: text(
    "Ce n’est pas l’étiquette que vous aviez choisie.",
    "Comparez le numéro imprimé sur l’étiquette et choisissez à nouveau.",
  ),
  untrusted_tag: text("Cette étiquette n’a pas pu prouver son authenticité.", CHECKED),
  generation_refused: text("Cette étiquette a proposé une connexion obsolète.", CHECKED),
  outdated_table: text(
    "Cet appareil connaît encore l’étiquette d’avant sa mise à jour.",
    `Désactivez puis réactivez le Bluetooth. ${TWICE}`,
  ),
  secure_session_failed: text(
    "La connexion sécurisée n’a pas pu être établie.",
    "Rapprochez l’étiquette, puis réessayez.",
  ),
  client_refused: text("L’étiquette n’a pas accepté cet appareil.", SIGN_IN),
  token_refused: text("L’étiquette n’a pas accepté l’autorisation d’écrire.", AGAIN),
  write_refused: text(
    "L’étiquette n’a pas accepté les informations et affiche toujours les précédentes.",
    AGAIN,
  ),
  low_battery: text(
    "La batterie de l’étiquette est trop faible pour changer l’affichage.",
    "Rechargez-la ou changez la pile.",
  ),
  tag_busy: text(
    "L’étiquette est occupée ou attend qu’on appuie sur son bouton.",
    "Appuyez sur le bouton de l’étiquette, attendez quelques secondes, puis réessayez.",
  ),
  lockout: text(
    "L’étiquette s’est bloquée après plusieurs essais refusés.",
    "Attendez cinq minutes, puis réessayez.",
  ),
  protocol: text("L’étiquette a donné une réponse incompréhensible.", TWICE),
  outcome_unknown: text(
    "La connexion a été coupée pendant le changement d’affichage.",
    "Regardez l’étiquette. Si elle n’affiche pas votre destination, réessayez.",
  ),
  custody_proof_cancelled: text(
    "L’étiquette est toujours verrouillée pour un autre voyage.",
    "Demandez les informations à la personne à qui elle appartient, ou utilisez une autre étiquette.",
  ),
  custody_proof_needed: text(
    "Cette étiquette est verrouillée pour un autre voyage.",
    "Saisissez la référence de réservation et le nom de ce voyage pour la déverrouiller, ou utilisez une autre étiquette.",
  ),
  custody_proof_attempts_exceeded: text(
    "Il ne reste plus d’essai pour cette étiquette.",
    "Utilisez une autre étiquette. Ou demandez au passager à qui elle appartient et réessayez dans 15 minutes ; il peut toujours l’utiliser.",
  ),
  tag_carries_other_bag: text(
    "Cette étiquette sert déjà à un autre bagage.",
    "Utilisez une autre étiquette, ou réattribuez celle-ci.",
  ),
  tag_shows_other_label: text(
    "Cette étiquette affiche le bagage de quelqu’un d’autre.",
    "Utilisez une autre étiquette, ou demandez à qui elle est avant de la réécrire.",
  ),
  custody_proof_required: text(
    "Cette étiquette est verrouillée pour un voyage qui n’est pas ouvert ici.",
    "Si c’est le vôtre, retrouvez d’abord ce voyage ici. Sinon, seul son passager peut le faire.",
  ),
  custody_proof_invalid: text(
    "Ces informations ne correspondent pas au voyage de l’étiquette.",
    "Vérifiez les deux champs, puis réessayez.",
  ),
  device_locked: text(
    "Cette étiquette vient d’être verrouillée pour un autre voyage.",
    "Utilisez une autre étiquette, ou déverrouillez d’abord celle-ci.",
  ),
  not_lock_holder: text(
    "Cette étiquette appartient au voyage d’un autre passager.",
    "Seuls ce passager ou le personnel de la compagnie peuvent l’effacer.",
  ),
  device_lost: text(
    "Cette étiquette a été déclarée perdue.",
    "Veuillez la remettre au personnel de la compagnie.",
  ),
  too_many_attempts: text("Trop d’essais.", "Attendez quelques minutes, puis réessayez."),
  too_many_requests: text("Trop de demandes.", "Attendez une minute, puis réessayez."),
  journey_not_found: text(
    "Nous ne trouvons pas ce voyage.",
    "Vérifiez la référence de réservation et le nom de famille.",
  ),
  baggage_not_found: text(
    "Ce bagage ne fait plus partie du voyage.",
    "Revenez à votre voyage et choisissez à nouveau le bagage.",
  ),
  airline_required: text(
    "Plusieurs compagnies ont une réservation avec cette référence et ce nom.",
    "Choisissez la vôtre. Votre numéro de vol commence par ces lettres.",
  ),
  delegation_ended: text(
    "Ce code n’est pas ou plus valable, ou l’autorisation a pris fin.",
    "Demandez un nouveau code sur l’autre téléphone.",
  ),
  device_not_found: text("Cette étiquette n’est pas enregistrée ici.", "Utilisez une autre étiquette."),
  payload_mismatch: text(
    "Votre voyage vient de changer.",
    "Revenez à votre voyage, vérifiez les informations et écrivez-les à nouveau.",
  ),
  bag_limit: text("Ce voyage compte déjà dix bagages.", HELP),
  bag_refused: text("Votre compagnie n’accepte pas ce bagage ici.", "Adressez-vous à son comptoir."),
  invalid_bcbp_format: text(
    "Cette carte d’embarquement est illisible.",
    "Saisissez plutôt la référence de réservation.",
  ),
  invalid_bsm_format: text("Ce message bagage est illisible.", "Corrigez-le à la source."),
  unauthorized_client: text("Cette page n’est pas configurée pour utiliser le service.", OPERATOR),
  unauthorized_token: text("Votre session a expiré.", SIGN_IN),
  invalid_federated_token: text(
    "L’application de la compagnie n’a pas pu vous connecter.",
    "Reconnectez-vous dans l’application.",
  ),
  invalid_nonce: text("La connexion a pris trop de temps.", AGAIN),
  invalid_attestation: text(
    "Cet appareil n’a pas été reconnu.",
    `${AGAIN} Si cela se reproduit, mettez votre navigateur à jour.`,
  ),
  invalid_credentials: text(
    "Le nom d’utilisateur ou le mot de passe est incorrect.",
    "Saisissez-les à nouveau, ou adressez-vous à l’exploitant de cette borne.",
  ),
  invalid_refresh_token: text("Votre session est terminée.", SIGN_IN),
  invalid_dpop_proof: text(
    "Le service n’accepte pas la signature de cet appareil.",
    "Vérifiez la date et l’heure, puis réessayez.",
  ),
  insufficient_scope: text("Vous ne pouvez pas faire cela ici.", HELP),
  required_info_not_provided: text("Il manque quelque chose.", "Remplissez tous les champs, puis réessayez."),
  stale_statement: text("Cette étiquette a été mise à jour depuis.", "Approchez-la, puis réessayez."),
  stale_attachment: text("Cette étiquette a été mise à jour depuis.", "Vous n’avez rien à faire."),
  gatt_version_refused: text(
    "Cette étiquette ne peut être écrite que par une connexion sécurisée.",
    "Rapprochez-la, puis réessayez.",
  ),
  idempotency_in_flight: text(
    "La même demande est encore en cours.",
    "Attendez une seconde, puis réessayez.",
  ),
  idempotency_key_reused: text("La page a répété une demande avec un autre contenu.", UPDATE),
  not_found: text("Le service ne connaît pas cette demande.", UPDATE),
  method_not_allowed: text("La page et le service ne sont pas compatibles.", UPDATE),
  payload_too_large: text("La demande était trop volumineuse.", UPDATE),
  unsupported_media_type: text("La page et le service ne sont pas compatibles.", UPDATE),
  internal_error: text("Un problème est survenu de notre côté.", MINUTE),
  service_unavailable: text("Le service n’est pas disponible pour le moment.", MINUTE),
  network: text("Il n’y a pas de connexion au service.", ONLINE),
  service_timeout: text("Le service a mis trop de temps à répondre.", AGAIN),
  never_confirmed: text(
    "Pendant deux semaines, la compagnie n’a pas pu être informée de cette étiquette.",
    "Écrivez ou effacez de nouveau l’étiquette.",
  ),
  invalid_answer: text("Le service a donné une réponse que cette page ne comprend pas.", UPDATE),
  configuration_unavailable: text("La page n’arrive pas à joindre le service.", ONLINE),
  configuration_invalid: text("Les réglages de cette page sont incorrects.", OPERATOR),
  no_tag_roots: text("Cette page n’est configurée pour faire confiance à aucune étiquette.", OPERATOR),
  no_client_key: text("Cette page n’est pas configurée pour utiliser le service.", OPERATOR),
  storage_unavailable: text(
    "Votre navigateur ne laisse pas cette page conserver sa clé.",
    "Quittez la navigation privée ou autorisez le stockage, puis réessayez.",
  ),
  passkeys_unsupported: text(
    "Ce navigateur ne peut pas utiliser de clés d’accès ici.",
    "Continuez sans clé d’accès, ou ouvrez cette page dans un navigateur plus récent.",
  ),
  passkey_refused: text(
    "Votre clé d’accès n’a pas pu être utilisée.",
    "Réessayez, ou continuez sans clé d’accès.",
  ),
} satisfies ErrorWords;
