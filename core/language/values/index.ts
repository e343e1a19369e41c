/** Values in texts: numbers with units, money, dates and codes, and whether one states another. Pure. */
export { isCurrency } from "./currencies.js"
export { type DateParts, dateEntails } from "./dates.js"
export { numberWords } from "./measures.js"
export {
  codeNorm,
  type DateValue,
  dimensionsOfUnit,
  findValues,
  isUnitWord,
  type QuantityValue,
  type Value,
  valueEntails
} from "./values.js"
