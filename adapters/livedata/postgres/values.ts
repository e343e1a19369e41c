import pg from "pg"
import { parse as parseArray } from "postgres-array"
import { exactInteger, jsonCell, jsonNumber } from "../driver.js"

/** Names of the built-in types by their number. */
const typeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(pg.types.builtins).map(([name, oid]) => [Number(oid), name.toLowerCase()] as const)
)

/** Element types of the arrays that are read as arrays, by the number of the array type. */
const arrays: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1005, 21],
  [1007, 23],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1231, 1700],
  [1009, 25],
  [1015, 1043],
  [1014, 1042],
  [1182, 1082],
  [1115, 1114],
  [1185, 1184],
  [2951, 2950],
  [199, 114],
  [3807, 3802]
])

/** The name of a type; null where the catalog has to be asked. */
export const typeName = (oid: number): string | null => {
  const element = arrays.get(oid)
  if (element !== undefined) return `${typeNames.get(element) ?? "unknown"}[]`
  return typeNames.get(oid) ?? null
}

/**
 * A value of the text protocol as JSON holds it exactly. What does not look like its type stays text: a server may
 * say anything.
 */
export const toCell = (oid: number, text: string | null, modifier?: number): unknown => {
  if (text === null) return null
  const element = arrays.get(oid)
  if (element !== undefined) return arrayOf(text, element)
  switch (oid) {
    case 16:
      return text === "t" ? true : text === "f" ? false : text
    case 20:
    case 21:
    case 23:
    case 26:
      return /^-?\d+$/u.test(text) ? exactInteger(text) : text
    case 700:
    case 701:
      return /^[-+\d.eE]+$/u.test(text) && text !== "" ? jsonNumber(Number(text)) : text
    case 1560:
      // The modifier of a bit string is its length: one bit is a truth value.
      return modifier === 1 && text.length === 1 ? text === "1" : text
    case 17:
      return /^\\x(?:[0-9a-f]{2})*$/u.test(text) ? Buffer.from(text.slice(2), "hex").toString("base64") : text
    case 114:
    case 3802:
      return jsonCell(text)
    case 1082:
    case 1114:
    case 1184:
      return momentOf(text)
    default:
      return text
  }
}

/**
 * A date or moment in ISO 8601. Postgres counts years before our era from 1 and writes BC behind them; ISO has a year 0
 * and a sign. Years beyond 9999 take a sign and six digits. `infinity` stays a word.
 */
const momentOf = (text: string): string => {
  const [, digits = "", rest = "", before] = /^(\d{4,})(-[^ ]+(?: \d[^ ]*)?)( BC)?$/u.exec(text) ?? []
  if (digits === "") return text
  const year = before === undefined ? Number(digits) : 1 - Number(digits)
  const sign = year < 0 ? "-" : year > 9999 ? "+" : ""
  const padded = String(Math.abs(year)).padStart(sign === "+" ? 6 : 4, "0")
  return `${sign}${padded}${rest.replace(" ", "T").replace(/\+00$/u, "Z")}`
}

/** The texts of an array whose elements have no type of their own here. */
export const textsOf = (text: string): unknown => arrayOf(text, 0)

const arrayOf = (text: string, element: number): unknown => {
  try {
    return parseArray<unknown>(text, (item) => toCell(element, item))
  } catch {
    return text
  }
}
