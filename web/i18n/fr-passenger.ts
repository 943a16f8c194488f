/** Français : les autres pages des passagers. Termes du glossary.md. */
import { type PassengerWords, said } from "./dictionary.ts";
import { plural } from "./forms.ts";

const TYPE = "Choisissez une photo, ou saisissez plutôt la référence de réservation.";

export const passenger = {
  scan: {
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
  },
  camera: {
    refused: said(
      "Cette page n’a pas le droit d’utiliser la caméra.",
      "Autorisez la caméra pour cette page dans les réglages de votre navigateur, ou choisissez une photo.",
    ),
    blocked: said("La caméra est bloquée par votre organisation.", TYPE),
    missing: said("Cet appareil n’a pas de caméra utilisable ici.", TYPE),
    busy: said("Une autre application utilise la caméra.", "Fermez cette application, puis réessayez."),
    lost: said("La caméra s’est arrêtée.", "Ouvrez-la à nouveau."),
    reader_unavailable: said(
      "Le lecteur de codes n’a pas pu être chargé.",
      "Vérifiez que vous êtes en ligne, puis réessayez.",
    ),
    no_code: said(
      "Cette photo ne contient aucun code lisible.",
      "Choisissez une photo nette qui montre le code entier.",
    ),
    not_boarding_pass: said(
      "Ce code n’est pas celui d’une carte d’embarquement.",
      "Montrez le code que votre compagnie a imprimé ou envoyé.",
    ),
    not_a_picture: said(
      "Ce fichier n’est pas une image.",
      "Choisissez une photo ou une capture d’écran de votre carte d’embarquement.",
    ),
  },
  handOver: {
    titleAs: (name) => `Continuer en tant que ${name} ?`,
    title: "Continuer ici ?",
    lead: (host) => `${host} souhaite vous connecter à cette page.`,
    warning: "Ne continuez que si vous en venez à l’instant et s’il s’agit bien de vous.",
    about: "Ce qui a été transmis",
    sender: "Provenance",
    passenger: "Passager",
    recordLocator: "Référence de réservation",
    go: "Continuer",
    refuse: "Non, aller à l’accueil",
    signingIn: "Connexion…",
    waiting: "En attente de l’application de la compagnie…",
    nothing: "Rien n’a été transmis",
    nothingNext:
      "Rouvrez cette page depuis l’application de la compagnie, ou trouvez vous-même votre voyage.",
    expired: "Cette connexion n’est plus valable",
    expiredNext: "Revenez à l’application de la compagnie et rouvrez cette page à partir de celle-ci.",
    checking: "Nous vérifions qu’aucune de vos étiquettes n’est oubliée…",
    locksTitle: "Terminez d’abord avec votre étiquette",
    locks: (tags) =>
      `Encore sous verrou pour un voyage ouvert sur cette page : ${tags}. Après une autre connexion, l’effacement ne serait plus possible depuis cette page.`,
    outboxTitle: "Une de vos étiquettes est encore en cours de confirmation",
    outbox:
      "Cette page doit encore en informer la compagnie. Après une autre connexion, cette information pourrait se perdre.",
    unknownTitle: "Nous ne pouvons pas vérifier vos étiquettes pour le moment",
    unknown: "Avant une autre connexion, nous devons être sûrs qu’aucune de vos étiquettes n’est oubliée.",
    clear: (tag) => `Effacer l’étiquette ${tag}`,
    confirm: "Confirmer maintenant",
    choose: "Quel voyage ?",
    journey: (destination, day) => `Vers ${destination}, ${day}`,
    stay: "Continuer comme avant",
  },
  kept: {
    offlineTitle: "Vous êtes hors ligne",
    offline: (moment) =>
      `Voici votre voyage tel qu’il était le ${moment}. Vous pourrez écrire sur les étiquettes dès que vous serez de nouveau en ligne.`,
    forget: "M’oublier sur cet appareil",
    forgetTitle: "Vous oublier sur cet appareil ?",
    forgetBody:
      "Cette page oublie votre voyage et qui vous êtes. Les étiquettes gardent leur affichage et restent verrouillées.",
    forgetYes: "Oublier",
    forgetting: "Oubli en cours…",
    forgetWaiting:
      "Une de vos étiquettes est encore en cours de confirmation. Si cette page vous oublie maintenant, la compagnie pourrait ne jamais l’apprendre.",
    forgetAnyway: "Oublier quand même",
  },
  addBag: {
    action: "Ajouter un bagage",
    title: "Ajouter un bagage à ce voyage ?",
    body: "Il reçoit un numéro de bagage de votre compagnie. Les règles de la compagnie s’appliquent toujours.",
    working: "Ajout du bagage…",
    added: (n) => `Le bagage ${n} a été ajouté.`,
    noRange: "Votre compagnie n’attribue pas de numéro de bagage ici.",
    noRangeNext: "Déposez votre bagage au comptoir : il apparaîtra ici.",
  },
  arrival: {
    title: "Voyage terminé ? Effacez votre étiquette",
    body: "D’anciennes informations peuvent égarer votre bagage au prochain voyage.",
    clear: (tag) => `Effacer l’étiquette ${tag}`,
  },
  lost: {
    badge: "Déclarée perdue",
    report: "Déclarer la perte",
    title: (tag) => `Déclarer la perte de l’étiquette ${tag} ?`,
    body: "Seuls vous et le personnel de la compagnie pourrez alors y écrire ou l’effacer. Votre bagage reste dans ce voyage.",
    yes: "Déclarer la perte",
    working: "Un instant…",
    found: "Je l’ai retrouvée",
    foundLabel: (tag) => `J’ai retrouvé l’étiquette ${tag}`,
  },
  attempts: {
    title: plural("fr", {
      one: "Quelqu’un a essayé de déverrouiller cette étiquette",
      many: "Quelqu’un a essayé {n} de fois de déverrouiller cette étiquette",
      other: "Quelqu’un a essayé {n} fois de déverrouiller cette étiquette",
    }),
    body: (moment) =>
      `Les informations étaient incorrectes ; dernier essai le ${moment}. Si ce n’était pas vous, gardez un œil sur votre bagage.`,
  },
  remembered: {
    ready: (tag) => `Activez l’étiquette ${tag} et approchez-la de l’appareil. Pas de liste cette fois.`,
    use: (tag) => `Utiliser l’étiquette ${tag}`,
    other: "Choisir une autre étiquette",
    looking: (tag) => `Recherche de l’étiquette ${tag}…`,
    away: (tag) => `L’étiquette ${tag} n’est pas à portée`,
    awayNext: "Activez-la avec son bouton et réessayez, ou choisissez une étiquette dans la liste.",
  },
  list: {
    title: "Trouvez votre étiquette dans la liste",
    wake: "Appuyez sur le bouton de l’étiquette.",
    look: (name) => `Repérez le nom imprimé dessus, par exemple ${name}.`,
    pair: "Touchez ce nom dans la liste, puis « Associer ».",
    why: "La liste vient de votre navigateur : les informations passent par Bluetooth. Android peut d’abord demander l’accès aux appareils à proximité : acceptez.",
    show: "Afficher la liste",
    closed: "Votre étiquette n’était pas dans la liste ?",
    wakeAgain: "Appuyez de nouveau sur son bouton : une étiquette se rendort vite.",
    near: "Tenez-la tout contre l’appareil.",
    allow:
      "Activez le Bluetooth. Sur Android, autorisez aussi votre navigateur à accéder aux appareils à proximité ou à la position.",
    elsewhere: "Fermez les autres applications et pages qui utilisent l’étiquette.",
    again: "Afficher de nouveau la liste",
    later: "Pas maintenant",
  },
  run: {
    companions: "Même réservation",
    done: (index, destination) => `Elle affiche ${destination}. Fixez-la au bagage ${index}.`,
  },
  hint: {
    length: (n) => `Une référence de réservation a six lettres et chiffres ; la vôtre en a ${n}.`,
    looks:
      "Elle ressemble à K7Q2ZD. La lettre O et le chiffre 0 se confondent facilement, tout comme I et 1.",
    surname: "Saisissez seulement le nom de famille, comme sur la réservation, sans prénom ni titre.",
  },
  otherBag: {
    title: (n) => `Cette étiquette est celle du bagage ${n}`,
    titleOf: (name, n) => `Cette étiquette est celle du bagage ${n} de ${name}`,
    body: "Une étiquette affiche un seul bagage. Si vous la réattribuez, l’autre bagage n’aura plus d’étiquette.",
    move: (n) => `L’attribuer au bagage ${n}`,
    another: "Prendre une autre étiquette",
  },
  elsewhere: {
    title: "Ce navigateur n’atteint pas votre étiquette",
    ios: "Les étiquettes s’écrivent par Bluetooth, que Safari et Chrome n’offrent pas sur iPhone et iPad. Ce qui marche :",
    inApp: "Cette page est ouverte dans une autre application, qui n’a pas le Bluetooth. Chrome l’a.",
    other:
      "Les étiquettes s’écrivent par Bluetooth. Chrome et Edge l’offrent, sur Android et sur ordinateur.",
    openChrome: "Ouvrir dans Chrome",
    iosBrowser: "Obtenir un navigateur avec Bluetooth",
    scan: "Scannez ceci avec un téléphone Android, ou ouvrez-le dans Chrome sur un ordinateur :",
    code: (address) => `Code QR de ${address}`,
    kiosks: "Une borne écrit aussi votre étiquette :",
  },
  share: {
    action: "Ouvrir sur un autre appareil",
    body: "Scannez ce code avec votre autre appareil. Il ne contient aucune réservation : vous saisirez la vôtre là-bas.",
    hereTitle: "Saisissez votre réservation sur cet appareil",
    here: "Cet appareil ne connaît pas encore le voyage. Rien n’a été transmis avec le lien.",
  },
  link: {
    which: "Pour quel bagage ?",
    lead: "Trouvez votre voyage : son bagage ira sur cette étiquette.",
    yours: "Est-ce votre réservation ?",
    yoursBody:
      "Elle est venue avec le lien que vous avez ouvert. Rien n’est demandé à personne avant votre oui.",
    yes: "Oui, trouver ce voyage",
    no: "Non, saisir la mienne",
    otherTitle: "Le lien désigne une autre réservation",
    other: "Votre propre voyage reste sur cet appareil. La réservation du lien n’est pas utilisée.",
    allOnTags: "Chaque bagage de ce voyage a une étiquette.",
    open: "Ouvrir mon voyage",
  },
  unsupported: {
    ios: "Sur iPhone et iPad, Safari et Chrome ne le peuvent pas. Utilisez un téléphone Android ou un ordinateur, ou prenez une étiquette papier.",
    inApp: "Ouvrez cette page directement dans Chrome, et non dans une autre application.",
  },
} satisfies PassengerWords;
