/** Español: errores. Trato de «usted» o neutro; términos de glossary.md. */
import type { ErrorWords } from "./dictionary.ts";
import { text } from "./forms.ts";

const AGAIN = "Inténtelo de nuevo.";
const OPERATOR = "Use una etiqueta de papel y avise al personal de la aerolínea.";
const SIGN_IN = "Vuelva al inicio y busque de nuevo su viaje.";
const UPDATE = "Vuelva a cargar la página para obtener la última versión.";
const CHECKED = "No la use en este viaje y haga que la revisen.";
const CLOSER = "Acerque la etiqueta a este dispositivo e inténtelo de nuevo.";
const TWICE = `${AGAIN} Si vuelve a ocurrir, la etiqueta debe revisarse.`;
const HELP = "Pida ayuda al personal de la aerolínea.";
const MINUTE = "Inténtelo de nuevo dentro de un minuto.";
const ONLINE = "Compruebe que está en línea e inténtelo de nuevo.";

export const errors = {
  cancelled: text("Cancelado.", "No se ha cambiado nada."),
  invalid_request: text("Hay un error en esta solicitud.", "Revise lo que ha escrito e inténtelo de nuevo."),
  busy: text("Ya se está trabajando con esta etiqueta.", "Espere a que termine e inténtelo de nuevo."),
  unknown_device: text("Esta página ha perdido la conexión con la etiqueta.", "Vuelva a elegir su etiqueta."),
  outbox_not_empty: text(
    "Una de sus etiquetas aún se está confirmando.",
    "Siga en línea un momento y después cierre la sesión.",
  ),
  clock_wrong: text(
    "La fecha o la hora de este dispositivo no parecen correctas.",
    "Póngalas en automático en los ajustes e inténtelo de nuevo.",
  ),
  internal: text(
    "Ha ocurrido algo inesperado.",
    `${AGAIN} Si vuelve a ocurrir, muestre al personal el código en «Detalles».`,
  ),
  unsupported: text(
    "Este navegador no puede comunicarse con etiquetas.",
    "Abra esta página en Chrome o Edge en Android, Windows, Mac o ChromeOS.",
  ),
  insecure_context: text(
    "Esta página no se abrió de forma segura.",
    "Ábrala de nuevo con una dirección que empiece por https.",
  ),
  blocked_by_policy: text(
    "El Bluetooth está bloqueado por su organización o en los ajustes de este navegador.",
    "Permítalo para este sitio en los ajustes. Si no puede, consulte a quien administra este dispositivo.",
  ),
  bluetooth_off: text(
    "El Bluetooth está desactivado o este dispositivo no lo tiene.",
    "Actívelo en los ajustes o use otro dispositivo.",
  ),
  bluetooth_unavailable: text(
    "El Bluetooth está desactivado o este navegador no puede usarlo.",
    "Actívelo en los ajustes. Si ya lo está, consulte a quien administra este dispositivo.",
  ),
  permission_refused: text(
    "Esta página no puede usar el Bluetooth.",
    "Permita a este navegador acceder a los dispositivos cercanos en los ajustes e inténtelo de nuevo.",
  ),
  needs_user_gesture: text("La lista de etiquetas solo se abre tras un toque.", "Pulse el botón de nuevo."),
  out_of_reach: text(
    "La etiqueta no respondió.",
    "Actívela con su botón, acérquela a este dispositivo e inténtelo de nuevo.",
  ),
  link_lost: text("Se cortó la conexión con la etiqueta.", CLOSER),
  timeout: text("La etiqueta tardó demasiado en responder.", CLOSER),
  not_a_tag: text(
    "Ese dispositivo no es una etiqueta de equipaje conocida.",
    "Elija el dispositivo cuyo nombre empieza por EBT.",
  ),
  operation_refused: text("La etiqueta rechazó la operación con este dispositivo.", TWICE),
  link_busy: text(
    "El Bluetooth de este dispositivo está ocupado.",
    "Espere unos segundos e inténtelo de nuevo.",
  ),
  wrong_tag: text(
    "No es la etiqueta que había elegido.",
    "Compare el número impreso en la etiqueta y elija de nuevo.",
  ),
  untrusted_tag: text("Esta etiqueta no pudo demostrar que es auténtica.", CHECKED),
  generation_refused: text("Esta etiqueta ofreció una conexión anticuada.", CHECKED),
  outdated_table: text(
    "Este dispositivo aún recuerda la etiqueta de antes de su actualización.",
    `Desactive y vuelva a activar el Bluetooth. ${TWICE}`,
  ),
  secure_session_failed: text(
    "No se pudo establecer una conexión segura.",
    "Acerque más la etiqueta e inténtelo de nuevo.",
  ),
  client_refused: text("La etiqueta no aceptó este dispositivo.", SIGN_IN),
  token_refused: text("La etiqueta no aceptó el permiso para escribir.", AGAIN),
  write_refused: text("La etiqueta no aceptó los datos y sigue mostrando lo que mostraba antes.", AGAIN),
  low_battery: text(
    "La batería de la etiqueta está demasiado baja para cambiar la pantalla.",
    "Cárguela o cambie la pila.",
  ),
  tag_busy: text(
    "La etiqueta está ocupada o espera que se pulse su botón.",
    "Pulse el botón de la etiqueta, espere unos segundos e inténtelo de nuevo.",
  ),
  lockout: text(
    "La etiqueta se ha bloqueado tras varios intentos rechazados.",
    "Espere cinco minutos e inténtelo de nuevo.",
  ),
  protocol: text("La etiqueta dio una respuesta que no entendemos.", TWICE),
  outcome_unknown: text(
    "La conexión se cortó mientras cambiaba la pantalla.",
    "Mire la etiqueta. Si no muestra su destino, inténtelo de nuevo.",
  ),
  custody_proof_cancelled: text(
    "La etiqueta sigue bloqueada para otro viaje.",
    "Pida los datos a la persona a quien pertenece o use otra etiqueta.",
  ),
  custody_proof_needed: text(
    "Esta etiqueta está bloqueada para otro viaje.",
    "Introduzca el localizador y el apellido de ese viaje para desbloquearla, o use otra etiqueta.",
  ),
  custody_proof_attempts_exceeded: text(
    "No quedan intentos para esta etiqueta.",
    "Use otra etiqueta. O consulte al pasajero al que pertenece e inténtelo de nuevo en 15 minutos; esa persona puede seguir usándola.",
  ),
  tag_carries_other_bag: text(
    "Esta etiqueta ya se usa para otro equipaje.",
    "Use otra etiqueta o cambie esta de equipaje.",
  ),
  tag_shows_other_label: text(
    "Esta etiqueta muestra los datos de otra persona.",
    "Use otra etiqueta, o pregunte de quién es antes de sobrescribirla.",
  ),
  custody_proof_required: text(
    "Esta etiqueta está bloqueada para un viaje que no está abierto aquí.",
    "Si es su viaje, búsquelo primero aquí. Si no, solo puede hacerlo el pasajero de ese viaje.",
  ),
  custody_proof_invalid: text(
    "Estos datos no coinciden con el viaje de la etiqueta.",
    "Revise los dos campos e inténtelo de nuevo.",
  ),
  device_locked: text(
    "Esta etiqueta acaba de bloquearse para otro viaje.",
    "Use otra etiqueta o desbloquee primero esta.",
  ),
  not_lock_holder: text(
    "Esta etiqueta pertenece al viaje de otro pasajero.",
    "Solo ese pasajero o el personal de la aerolínea puede borrarla.",
  ),
  device_lost: text(
    "Esta etiqueta se ha notificado como perdida.",
    "Entréguela al personal de la aerolínea.",
  ),
  too_many_attempts: text("Demasiados intentos.", "Espere unos minutos e inténtelo de nuevo."),
  too_many_requests: text("Demasiadas solicitudes.", "Espere un minuto e inténtelo de nuevo."),
  journey_not_found: text("No encontramos este viaje.", "Revise el localizador de reserva y el apellido."),
  baggage_not_found: text(
    "Este equipaje ya no forma parte del viaje.",
    "Vuelva a su viaje y elija de nuevo el equipaje.",
  ),
  airline_required: text(
    "Varias aerolíneas tienen una reserva con este localizador y apellido.",
    "Elija la suya. Su número de vuelo empieza por esas letras.",
  ),
  delegation_ended: text(
    "Este código no es válido o ya no lo es, o el permiso ha terminado.",
    "Pida un código nuevo en el otro teléfono.",
  ),
  device_not_found: text("Esta etiqueta no está registrada aquí.", "Use otra etiqueta."),
  payload_mismatch: text(
    "Su viaje ha cambiado hace un momento.",
    "Vuelva a su viaje, revise los datos y escríbalos de nuevo.",
  ),
  bag_limit: text("Este viaje ya tiene diez piezas de equipaje.", HELP),
  bag_refused: text("Su aerolínea no acepta este equipaje aquí.", "Diríjase a su mostrador."),
  invalid_bcbp_format: text(
    "No se puede leer esta tarjeta de embarque.",
    "Introduzca en su lugar el localizador de reserva.",
  ),
  invalid_bsm_format: text("No se puede leer este mensaje de equipaje.", "Corríjalo en su origen."),
  unauthorized_client: text("Esta página no está configurada para usar el servicio.", OPERATOR),
  unauthorized_token: text("Su sesión ha caducado.", SIGN_IN),
  invalid_federated_token: text(
    "La aplicación de la aerolínea no pudo iniciar su sesión.",
    "Inicie sesión de nuevo en la aplicación.",
  ),
  invalid_nonce: text("El inicio de sesión tardó demasiado.", AGAIN),
  invalid_attestation: text(
    "No se pudo reconocer este dispositivo.",
    `${AGAIN} Si vuelve a ocurrir, actualice su navegador.`,
  ),
  invalid_credentials: text(
    "El usuario o la contraseña no son correctos.",
    "Introduzca los dos de nuevo o pregunte a quien gestiona este quiosco.",
  ),
  invalid_refresh_token: text("Su sesión ha terminado.", SIGN_IN),
  invalid_dpop_proof: text(
    "El servicio no acepta la firma de este dispositivo.",
    "Compruebe la fecha y la hora e inténtelo de nuevo.",
  ),
  insufficient_scope: text("No puede hacer esto aquí.", HELP),
  required_info_not_provided: text("Falta algo.", "Rellene todos los campos e inténtelo de nuevo."),
  stale_statement: text("Esta etiqueta se ha actualizado desde entonces.", "Acérquela e inténtelo de nuevo."),
  stale_attachment: text("Esta etiqueta se ha actualizado desde entonces.", "No tiene que hacer nada."),
  gatt_version_refused: text(
    "En esta etiqueta solo se puede escribir por su conexión segura.",
    "Acérquela más e inténtelo de nuevo.",
  ),
  idempotency_in_flight: text(
    "La misma solicitud aún se está procesando.",
    "Espere un segundo e inténtelo de nuevo.",
  ),
  idempotency_key_reused: text("La página repitió una solicitud con otro contenido.", UPDATE),
  not_found: text("El servicio no conoce esta solicitud.", UPDATE),
  method_not_allowed: text("La página y el servicio no son compatibles.", UPDATE),
  payload_too_large: text("La solicitud era demasiado grande.", UPDATE),
  unsupported_media_type: text("La página y el servicio no son compatibles.", UPDATE),
  internal_error: text("Algo ha fallado por nuestra parte.", MINUTE),
  service_unavailable: text("El servicio no está disponible en este momento.", MINUTE),
  network: text("No hay conexión con el servicio.", ONLINE),
  service_timeout: text("El servicio tardó demasiado en responder.", AGAIN),
  never_confirmed: text(
    "Durante dos semanas no se pudo informar a la aerolínea de esta etiqueta.",
    "Vuelva a escribir o a borrar la etiqueta.",
  ),
  invalid_answer: text("El servicio dio una respuesta que esta página no entiende.", UPDATE),
  configuration_unavailable: text("La página no puede comunicarse con el servicio.", ONLINE),
  configuration_invalid: text("La configuración de esta página no es correcta.", OPERATOR),
  no_tag_roots: text("Esta página no está configurada para confiar en ninguna etiqueta.", OPERATOR),
  no_client_key: text("Esta página no está configurada para usar el servicio.", OPERATOR),
  storage_unavailable: text(
    "Su navegador no permite a esta página guardar su clave.",
    "Salga de la navegación privada o permita el almacenamiento e inténtelo de nuevo.",
  ),
  passkeys_unsupported: text(
    "Este navegador no puede usar llaves de acceso aquí.",
    "Continúe sin llave de acceso o abra esta página en un navegador más reciente.",
  ),
  passkey_refused: text("No se pudo usar su llave de acceso.", "Inténtelo de nuevo o continúe sin ella."),
} satisfies ErrorWords;
