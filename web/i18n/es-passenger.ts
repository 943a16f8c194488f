/** Español: las demás páginas del pasajero. Términos de glossary.md. */
import { type PassengerWords, said } from "./dictionary.ts";
import { plural } from "./forms.ts";

const TYPE = "Elija una foto o escriba en su lugar el localizador de reserva.";

export const passenger = {
  scan: {
    title: "Escanear su tarjeta de embarque",
    lead: "La cámara lee el código cuadrado o de barras de su tarjeta de embarque, en papel o en otra pantalla.",
    privacy:
      "El navegador le preguntará ahora si esta página puede usar la cámara. Las imágenes se quedan en este dispositivo; solo se envía el texto del código, para encontrar su viaje.",
    open: "Abrir la cámara",
    opening: "Abriendo la cámara…",
    picture: "Lo que ve la cámara",
    aim: "Mantenga todo el código dentro del marco.",
    searching: "Buscando un código…",
    slow: "¿Aún nada? Acérquese más, evite los reflejos o elija una foto.",
    finding: "Código leído. Buscando su viaje…",
    lightOn: "Encender la luz",
    lightOff: "Apagar la luz",
    stop: "Cerrar la cámara",
    photo: "Elegir una foto",
    readingPhoto: "Leyendo la foto…",
    type: "Escribir el localizador",
    again: "Escanear de nuevo",
  },
  camera: {
    refused: said(
      "Esta página no puede usar la cámara.",
      "Permita la cámara para esta página en los ajustes del navegador o elija una foto.",
    ),
    blocked: said("Su organización ha bloqueado la cámara.", TYPE),
    missing: said("Este dispositivo no tiene una cámara que se pueda usar aquí.", TYPE),
    busy: said("Otra aplicación está usando la cámara.", "Cierre esa aplicación e inténtelo de nuevo."),
    lost: said("La cámara se ha detenido.", "Ábrala de nuevo."),
    reader_unavailable: said(
      "No se pudo cargar el lector de códigos.",
      "Compruebe que está en línea e inténtelo de nuevo.",
    ),
    no_code: said(
      "En esta foto no hay ningún código que podamos leer.",
      "Elija una foto nítida que muestre todo el código.",
    ),
    not_boarding_pass: said(
      "Ese código no es el de una tarjeta de embarque.",
      "Muestre el código que su aerolínea imprimió o le envió.",
    ),
    not_a_picture: said(
      "Este archivo no es una imagen.",
      "Elija una foto o una captura de pantalla de su tarjeta de embarque.",
    ),
  },
  handOver: {
    titleAs: (name) => `¿Continuar como ${name}?`,
    title: "¿Continuar aquí?",
    lead: (host) => `${host} quiere iniciar su sesión en esta página.`,
    warning: "Continúe solo si acaba de llegar desde allí y si se trata de usted.",
    about: "Lo que se ha transmitido",
    sender: "Origen",
    passenger: "Pasajero",
    recordLocator: "Localizador de reserva",
    go: "Continuar",
    refuse: "No, ir al inicio",
    signingIn: "Iniciando sesión…",
    waiting: "Esperando la aplicación de la aerolínea…",
    nothing: "No se ha transmitido nada",
    nothingNext:
      "Abra de nuevo esta página desde la aplicación de la aerolínea o busque su viaje por su cuenta.",
    expired: "Este inicio de sesión ya no es válido",
    expiredNext: "Vuelva a la aplicación de la aerolínea y abra esta página desde allí otra vez.",
    checking: "Comprobando que no le quede ninguna etiqueta pendiente…",
    locksTitle: "Termine primero con su etiqueta",
    locks: (tags) =>
      `Con bloqueo de un viaje abierto en esta página: ${tags}. Tras otro inicio de sesión, ya no sería posible el borrado desde esta página.`,
    outboxTitle: "Una de sus etiquetas aún se está confirmando",
    outbox:
      "Esta página aún debe comunicárselo a la aerolínea. Tras otro inicio de sesión, ese aviso podría perderse.",
    unknownTitle: "Ahora no podemos comprobar sus etiquetas",
    unknown:
      "Antes de otro inicio de sesión debemos estar seguros de que no le queda ninguna etiqueta pendiente.",
    clear: (tag) => `Borrar la etiqueta ${tag}`,
    confirm: "Confirmar ahora",
    choose: "¿Qué viaje?",
    journey: (destination, day) => `Viaje a ${destination}, ${day}`,
    stay: "Seguir como antes",
  },
  kept: {
    offlineTitle: "No tiene conexión",
    offline: (moment) =>
      `Este es su viaje tal como estaba el ${moment}. Podrá escribir en las etiquetas cuando vuelva a tener conexión.`,
    forget: "Olvidar mis datos aquí",
    forgetTitle: "¿Olvidar aquí sus datos?",
    forgetBody:
      "Esta página olvida su viaje y quién es usted. Las etiquetas conservan lo que muestran y siguen bloqueadas.",
    forgetYes: "Olvidar",
    forgetting: "Olvidando…",
    forgetWaiting:
      "Una de sus etiquetas aún se está confirmando. Si se olvidan ahora sus datos, quizá la aerolínea nunca lo sepa.",
    forgetAnyway: "Olvidar de todos modos",
  },
  addBag: {
    action: "Añadir equipaje",
    title: "¿Añadir una pieza de equipaje a este viaje?",
    body: "Recibe un número de equipaje de su aerolínea. Las normas de equipaje de la aerolínea siguen vigentes.",
    working: "Añadiendo el equipaje…",
    added: (n) => `Se ha añadido el equipaje ${n}.`,
    noRange: "Su aerolínea no asigna números de equipaje aquí.",
    noRangeNext: "Entregue su equipaje en el mostrador y aparecerá aquí.",
  },
  arrival: {
    title: "¿Ha llegado? Borre su etiqueta",
    body: "Los datos antiguos pueden desviar su equipaje en el próximo viaje.",
    clear: (tag) => `Borrar la etiqueta ${tag}`,
  },
  lost: {
    badge: "Notificada como perdida",
    report: "Notificar pérdida",
    title: (tag) => `¿Notificar como perdida la etiqueta ${tag}?`,
    body: "Solo usted y el personal de la aerolínea podrán entonces escribir en ella o borrarla. Su equipaje sigue en este viaje.",
    yes: "Notificar pérdida",
    working: "Un momento…",
    found: "La he encontrado",
    foundLabel: (tag) => `He encontrado la etiqueta ${tag}`,
  },
  attempts: {
    title: plural("es", {
      one: "Alguien intentó desbloquear esta etiqueta",
      many: "Alguien intentó desbloquear esta etiqueta {n} de veces",
      other: "Alguien intentó desbloquear esta etiqueta {n} veces",
    }),
    body: (moment) =>
      `Los datos eran incorrectos, la última vez el ${moment}. Si no fue usted, vigile su equipaje.`,
  },
  remembered: {
    ready: (tag) => `Active la etiqueta ${tag} y acérquela al dispositivo. Esta vez sin lista.`,
    use: (tag) => `Usar la etiqueta ${tag}`,
    other: "Elegir otra etiqueta",
    looking: (tag) => `Buscando la etiqueta ${tag}…`,
    away: (tag) => `La etiqueta ${tag} no está al alcance`,
    awayNext: "Actívela con su botón e inténtelo de nuevo, o elija una etiqueta de la lista.",
  },
  list: {
    title: "Busque su etiqueta en la lista",
    wake: "Pulse el botón de la etiqueta.",
    look: (name) => `Fíjese en el nombre impreso en ella, por ejemplo ${name}.`,
    pair: "Toque ese nombre en la lista y después «Vincular».",
    why: "La lista es del navegador: los datos llegan a la etiqueta por Bluetooth. Puede que Android pregunte antes por los dispositivos cercanos: permítalo.",
    show: "Mostrar la lista",
    closed: "¿Su etiqueta no estaba en la lista?",
    wakeAgain: "Pulse otra vez su botón: la etiqueta vuelve a dormirse enseguida.",
    near: "Acérquela todo lo posible al dispositivo.",
    allow:
      "Active el Bluetooth. En Android, permita también al navegador los dispositivos cercanos o la ubicación.",
    elsewhere: "Cierre otras aplicaciones y páginas que usen la etiqueta.",
    again: "Mostrar la lista otra vez",
    later: "Ahora no",
  },
  run: {
    companions: "Misma reserva",
    done: (index, destination) => `Muestra ${destination}. Sujétela al equipaje ${index}.`,
  },
  hint: {
    length: (n) => `Un localizador tiene seis letras y números; el suyo tiene ${n}.`,
    looks: "Se parece a K7Q2ZD. La letra O y el número 0 se confunden fácilmente, igual que I y 1.",
    surname: "Escriba solo el apellido, como en la reserva, sin nombre ni tratamiento.",
  },
  otherBag: {
    title: (n) => `Esta etiqueta es del equipaje ${n}`,
    titleOf: (name, n) => `Esta etiqueta es del equipaje ${n} de ${name}`,
    body: "Una etiqueta muestra un solo equipaje. Si la cambia, el otro equipaje se queda sin etiqueta.",
    move: (n) => `Usarla para el equipaje ${n}`,
    another: "Tomar otra etiqueta",
  },
  elsewhere: {
    title: "Este navegador no llega a su etiqueta",
    ios: "Las etiquetas se escriben por Bluetooth, que Safari y Chrome no ofrecen en iPhone y iPad. Lo que funciona:",
    inApp: "Esta página está abierta dentro de otra aplicación, que no tiene Bluetooth. Chrome lo tiene.",
    other: "Las etiquetas se escriben por Bluetooth. Chrome y Edge lo ofrecen, en Android y en ordenadores.",
    openChrome: "Abrir en Chrome",
    iosBrowser: "Obtener un navegador con Bluetooth",
    scan: "Escanee esto con un teléfono Android o ábralo en Chrome en un ordenador:",
    code: (address) => `Código QR de ${address}`,
    kiosks: "Un quiosco también escribe su etiqueta:",
  },
  share: {
    action: "Abrir en otro dispositivo",
    body: "Escanee este código con su otro dispositivo. No contiene ninguna reserva: la suya la escribe allí.",
    hereTitle: "Escriba su reserva en este dispositivo",
    here: "Este dispositivo aún no conoce el viaje. Con el enlace no se ha enviado nada.",
  },
  link: {
    which: "¿Qué equipaje lleva esta etiqueta?",
    lead: "Busque su viaje: su equipaje irá en esta etiqueta.",
    yours: "¿Es esta su reserva?",
    yoursBody: "Vino con el enlace que ha abierto. No se consulta a nadie hasta que usted diga que sí.",
    yes: "Sí, buscar este viaje",
    no: "No, escribir la mía",
    otherTitle: "El enlace nombra otra reserva",
    other: "Su propio viaje se queda en este dispositivo. La reserva del enlace no se usa.",
    allOnTags: "Cada equipaje de este viaje tiene su etiqueta.",
    open: "Abrir mi viaje",
  },
  unsupported: {
    ios: "En iPhone y iPad, Safari y Chrome no pueden hacerlo. Use un teléfono Android, un portátil o un PC, o tome una etiqueta de papel.",
    inApp: "Abra esta página directamente en Chrome, no dentro de otra aplicación.",
  },
} satisfies PassengerWords;
