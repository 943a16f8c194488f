/** The texts of scanning a boarding pass in es, a part of es-passenger.ts. */
import { text } from "./forms.ts";

const TYPE = "Elija una foto o introduzca en su lugar el localizador de reserva.";

export const scan = {
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
  type: "Introducir el localizador",
  again: "Escanear de nuevo",
};

export const camera = {
  refused: text(
    "Esta página no puede usar la cámara.",
    "Permita la cámara para esta página en los ajustes del navegador o elija una foto.",
  ),
  blocked: text("Su organización ha bloqueado la cámara.", TYPE),
  missing: text("Este dispositivo no tiene una cámara que se pueda usar aquí.", TYPE),
  busy: text("Otra aplicación está usando la cámara.", "Cierre esa aplicación e inténtelo de nuevo."),
  lost: text("La cámara se ha detenido.", "Ábrala de nuevo."),
  reader_unavailable: text(
    "No se pudo cargar el lector de códigos.",
    "Compruebe que está en línea e inténtelo de nuevo.",
  ),
  no_code: text(
    "En esta foto no hay ningún código que podamos leer.",
    "Elija una foto nítida que muestre todo el código.",
  ),
  not_boarding_pass: text(
    "Ese código no es el de una tarjeta de embarque.",
    "Muestre el código que su aerolínea imprimió o le envió.",
  ),
  not_a_picture: text(
    "Este archivo no es una imagen.",
    "Elija una foto o una captura de pantalla de su tarjeta de embarque.",
  ),
};
