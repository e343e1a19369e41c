import type { Words } from "./words-en.js"

/** Words of Spanish: see `en`. */
export const es: Words = {
  function: `el la los las un una unos unas de del al a ante con sin para por en entre sobre bajo desde hasta
    hacia y o u pero si no ni que qué quién quiénes quien cuál cuáles cual cuando cuándo dónde donde
    cómo como cuánto cuánta cuántos cuántas porqué es son era eran ser sido fue fueron está están estar
    hay ha han haber tiene tienen tener puede pueden poder debe deben deber yo tú él ella nosotros
    ustedes ellos ellas me te se le les lo mi mis tu tus su sus nuestro nuestra nuestros nuestras este
    esta estos estas ese esa esos esas eso esto muy más también ya he hemos haya había habían sea sean será
    serán sería siendo estoy estamos estaba estaban tengo tenemos tenía puedo puedes podemos podría podrían
    podía debo debemos debería vosotros usted os nos cuyo cuya aquí allí así tan tanto`,
  pronouns: `él ella ellos ellas esto eso este esta`,
  synonyms: `vacaciones descanso | salario sueldo | costo coste precio tarifa cuesta cuestan |
    usar usa use usan utilizar utiliza utilizan utilice | empezar comenzar iniciar empieza comienza inicia |
    terminar acabar finalizar termina acaba finaliza | correo email | eliminar borrar elimina borra |
    arreglar reparar arregla repara | responsable encargado encargada |
    empleado trabajador empleados trabajadores | empresa compañía`,
  antonyms: `activo inactivo | activa inactiva | primero último | norte sur | público privado | interno externo |
    válido inválido | con sin | disponible indisponible`,
  past: "era|eran|fue|fueron|había|antes|costaba",
  present: "es|son|está|están|cuesta|desde",
  now: "ahora|actualmente|hoy",
  ended: "hasta|anteriormente|antes de eso",
  all: "todos|todas|cada",
  some: "algun[oa]s|much[oa]s|vari[oa]s|mayoría",
  invariably: "siempre",
  usually: "a menudo|a veces|normalmente",
  must: "debe|deben|obligatorio",
  may: "puede|pueden|debería|opcional",
  only: "solo|sólo|solamente|únicamente",
  condition: "cuando",
  newest: "próxim[oa]|últim[oa]",
  placed: "en|al|bajo|cerca|detrás|sobre|junto|entre|hacia|dentro|fuera|encima|debajo|delante|frente a",
  frequency: "cada|diari[oa]|semanal|mensual|anual",
  howOften: "con qué frecuencia",
  howLong: String.raw`cuánto (?:tiempo|dur[aó]\w*|(?:se )?tard[aó]\w*|demor[aó]\w*)`,
  howOld: "qué edad",
  noDenial: "no (?:más|menos) de|no s[oó]lo",
  up: String.raw`aument\w*|sub(?:e|ió)`,
  down: String.raw`disminu\w*|baj(?:a|ó)`,
  before: "antes",
  after: "después",
  least: "al menos|como mínimo|más de",
  most: "como máximo|hasta|menos de",
  above: "encima",
  below: "debajo",
  allowed: String.raw`permitid\w*`,
  forbidden: String.raw`prohibid\w*`,
  enabled: String.raw`activad\w*`,
  disabled: String.raw`desactivad\w*`,
  open: String.raw`abiert\w*`,
  closed: String.raw`cerrad\w*`,
  always: "siempre",
  never: "nunca",
  accepted: String.raw`aprob\w*`,
  refused: String.raw`rechaz\w*`,
  mandatory: String.raw`obligatori\w*`,
  optional: String.raw`opcional\w*`
}
