/** The texts of scanning a boarding pass in fr, a part of fr-passenger.ts. */
import { text } from "./forms.ts";

const TYPE = "Choisissez une photo, ou saisissez plutôt la référence de réservation.";

export const scan = {
  title: "Scanner votre carte d’embarquement",
  lead: "La caméra lit le code carré ou le code-barres de votre carte d’embarquement, sur papier ou sur un autre écran.",
  privacy:
    "Votre navigateur va vous demander si cette page peut utiliser la caméra. Les images restent sur cet appareil ; seul le texte du code est envoyé, pour trouver votre voyage.",
  open: "Ouvrir la caméra",
  opening: "Ouverture de la caméra…",
  picture: "Ce que voit la caméra",
  aim: "Placez le code entier dans le cadre.",
  searching: "Recherche d’un code…",
  slow: "Toujours rien ? Rapprochez-vous, évitez les reflets ou choisissez une photo.",
  finding: "Code lu. Recherche de votre voyage…",
  lightOn: "Allumer la lampe",
  lightOff: "Éteindre la lampe",
  stop: "Fermer la caméra",
  photo: "Choisir une photo",
  readingPhoto: "Lecture de la photo…",
  type: "Saisir plutôt la référence",
  again: "Scanner à nouveau",
};

export const camera = {
  refused: text(
    "Cette page n’a pas le droit d’utiliser la caméra.",
    "Autorisez la caméra pour cette page dans les réglages de votre navigateur, ou choisissez une photo.",
  ),
  blocked: text("La caméra est bloquée par votre organisation.", TYPE),
  missing: text("Cet appareil n’a pas de caméra utilisable ici.", TYPE),
  busy: text("Une autre application utilise la caméra.", "Fermez cette application, puis réessayez."),
  lost: text("La caméra s’est arrêtée.", "Ouvrez-la à nouveau."),
  reader_unavailable: text(
    "Le lecteur de codes n’a pas pu être chargé.",
    "Vérifiez que vous êtes en ligne, puis réessayez.",
  ),
  no_code: text(
    "Cette photo ne contient aucun code lisible.",
    "Choisissez une photo nette qui montre le code entier.",
  ),
  not_boarding_pass: text(
    "Ce code n’est pas celui d’une carte d’embarquement.",
    "Montrez le code que votre compagnie a imprimé ou envoyé.",
  ),
  not_a_picture: text(
    "Ce fichier n’est pas une image.",
    "Choisissez une photo ou une capture d’écran de votre carte d’embarquement.",
  ),
};
