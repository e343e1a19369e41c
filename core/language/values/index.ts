/** Values in texts: numbers with units, money, dates and codes, and whether one states another. Pure. */
export { isCurrency } from "./currencies.js"
export { type DateParts, dateEntails } from "./dates.js"
export { valueEntails } from "./entailment.js"
export { numberWords } from "./measures.js"
export type { DateValue, QuantityValue, Value } from "./value.js"
export { codeNorm, dimensionsOfUnit, findValues, isUnitWord } from "./values.js"
