import { wordwise } from "../../language/languages/index.js"
import type { ReadText } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"

/**
 * Words for the properties that people measure. Statements of one thing in different words ("lifts 40 tonnes", "has a
 * load of 42 tonnes") state the same property; "weighs 42 tonnes" states another one.
 */
const properties = [
  /\b(?:lifts?|lifting|loads?|payload|carr(?:y|ies)|capacity|holds?|hoists?|weight limit|hebt|tragkraft|traglast|last|kapazität|capacité|charge|capacidad|carga|levanta)\b/iu,
  /\b(?:weighs?|weight(?! limit)|mass|heavy|wiegt|gewicht|masse|schwer|pèse|poids|pesa|peso)\b/iu,
  /\b(?:long(?! as)|length|länge|longueur|longitud|largo)\b/iu,
  /\b(?:tall|high|height|höhe|hoch|hauteur|altura|alto)\b/iu,
  /\b(?:deep|depth|tief|tiefe|profond(?:e|eur)?|profund(?:o|a|idad))\b/iu,
  /\b(?:wide|width|breit|breite|large|largeur|ancho|anchura)\b/iu,
  /\b(?:costs?|prices?|fees?|charges?|rent|tariff|preis|kostet|kosten|gebühr|miete|prix|coûte|coût|tarif|loyer|precio|cuesta|coste|tarifa)\b/iu,
  /\b(?:speed|fast|knots?|schnell|geschwindigkeit|vitesse|velocidad)\b/iu,
  /\b(?:population|inhabitants?|residents?|einwohner\w*|bevölkerung|habitants?|población|habitantes?)\b/iu,
  /\b(?:employees?|employs?|staff|workforce|headcount|mitarbeiter\w*|beschäftigte\w*|salariés?|employés?|empleados?|plantilla)\b/iu,
  /\b(?:opens?|opening|öffnet|geöffnet|ouvre|abre)\b/iu,
  /\b(?:closes?|closing|schließt|ferme|cierra)\b/iu,
  /\b(?:built|construct(?:ed|ion)|erected|erbaut|gebaut|construit|construid[oa])\b/iu,
  /\b(?:painted|renovated|repaired|restored|gestrichen|renoviert|peint|pintad[oa])\b/iu,
  /\b(?:due|deadline|fällig|frist|échéance|plazo)\b/iu,
  /\b(?:starts?|begins?|beginnt|commence|empieza)\b/iu,
  /\b(?:ends?|expires?|finish(?:es)?|endet|läuft ab|expire|termina|vence)\b/iu
].map((pattern) => wordwise(() => pattern))

const propertiesOf = memoize(
  ({ text }: ReadText): ReadonlySet<number> =>
    new Set(properties.flatMap((pattern, at) => (pattern().test(text) ? [at] : [])))
)

/** Whether two statements name a property and none in common. */
export const nameOtherProperties = (one: ReadText, other: ReadText): boolean => {
  const [a, b] = [propertiesOf(one), propertiesOf(other)]
  return a.size > 0 && b.size > 0 && ![...a].some((property) => b.has(property))
}

/** Whether two statements name one property. */
export const nameOneProperty = (one: ReadText, other: ReadText): boolean => {
  const b = propertiesOf(other)
  return [...propertiesOf(one)].some((property) => b.has(property))
}

/** Verbs that every property goes with. */
const general = wordwise(
  () =>
    /^(?:made|makes?|making|runs?|running|done|takes?|gets?|has|have|gives?|lasts?|many|much|often|longest|shortest|highest|lowest|maximum|minimum|limit|most|least)$/iu
)

/** Whether a word of a question names a property, or says nothing of what it is asked of. */
export const isProperty = (word: string): boolean =>
  general().test(word) || properties.some((pattern) => pattern().test(word))
