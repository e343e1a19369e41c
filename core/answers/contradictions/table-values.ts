import { findValues } from "../../language/values/index.js"
import { nameNorm } from "../../platform/kernel/index.js"
import type { Statement } from "../conflicts/index.js"

/** One cell of a table, with what it is a value of. */
export interface TableValue {
  /** What the row is about, as rows are compared: the name of the first column and the first cell. */
  readonly key: string
  readonly subject: string
  readonly column: string
  readonly value: string
  readonly norm: string
}

/** Longer cells describe and do not state a value. */
const valueMaxChars = 40
const valueMaxWords = 4

/**
 * Returns the value that a cell of a table states; null for a cell that describes, or whose row has no name that means
 * the same on another page: a dotted path ("providers.docker.watch") or a name of upper-case letters ("LOG_LEVEL").
 * A single word ("mode") names another option on every page.
 */
export const tableValueOf = ({ row, text }: Statement): TableValue | null => {
  const end = text.indexOf("; ")
  if (row === null || end < 0) return null
  const first = bare(text.slice(text.lastIndexOf(": ", end) + 2, end))
  if (!isPath(first) && !isVariable(first)) return null
  const subject = nameNorm(first)
  const rest = text.slice(end + 2)
  const at = rest.indexOf(": ")
  if (at < 1) return null
  const [column, value] = [nameNorm(rest.slice(0, at)), rest.slice(at + 2).trim()]
  const norm = nameNorm(bare(value))
  if (norm === "" || value.length > valueMaxChars || value.split(/\s+/u).length > valueMaxWords) return null
  if (!(isPath(first) ? valueColumns : defaultColumns).test(column)) return null
  return { key: `${subject}\n${column}`, subject, column, value, norm }
}

/** Columns that state one value of what the row is about. */
const valueColumns =
  /^(?:default(?: value)?|value|type|unit|limit|max(?:imum)?|min(?:imum)?|required|mandatory|since|version|port|price|cost|owner|deadline|status|standard(?:wert)?|wert|typ|einheit|pflicht|seit|preis|valeur(?: par défaut)?|défaut|obligatoire|prix|valor(?: predeterminado)?|obligatorio|precio)$/u

/** A dotted path, such as `providers.docker.watch`. */
const isPath = (key: string): boolean =>
  /^[\p{L}_][\p{L}\p{N}_\-[\]<>*]*(?:\.[\p{L}\p{N}_\-[\]<>*]+)+$/u.test(key)

/** The name of a variable, such as `LOG_LEVEL`; every specification has constants of its own that look the same. */
const isVariable = (key: string): boolean => /^[\p{Lu}][\p{Lu}\p{N}]*(?:_[\p{Lu}\p{N}]+)+$/u.test(key)
const defaultColumns =
  /^(?:default(?: value)?|standard(?:wert)?|(?:valeur par )?défaut|valor predeterminado)$/u

/** A cell without the signs of code and the anchors of generated tables. */
const bare = (cell: string): string =>
  cell
    .replace(/<[^>]*>/gu, "")
    .replace(/\]\([^)]*\)/gu, "")
    .replace(/[`"'“”*\\[\]]/gu, "")
    .trim()

/** Whether two cells state another value. */
export const areOtherValues = (one: TableValue, other: TableValue): boolean => {
  const [a, b] = [packed(one.norm), packed(other.norm)]
  if (a === b || isNothing.test(one.norm) || isNothing.test(other.norm)) return false
  const [x, y] = [numberOf.exec(a), numberOf.exec(b)]
  if (x !== null && y !== null) {
    // A number without a unit may have any.
    if (Number(x[1]) === Number(y[1]) && (x[2] === "" || y[2] === "")) return false
    const [left, right] = [findValues(one.value)[0], findValues(other.value)[0]]
    return left?.kind !== "quantity" || right?.kind !== "quantity" || left.dimension !== right.dimension
      ? true
      : left.low !== right.low || left.high !== right.high
  }
  // One of them may tell more: "null/false", "10s (1 minute)".
  return !wordsIn(a).some((word) => wordsIn(b).includes(word))
}

/** Without blanks; two names of this machine are one. */
const packed = (norm: string): string => norm.replace(/\s/gu, "").replaceAll("127.0.0.1", "localhost")
const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}.:-]+/gu) ?? [text]
const numberOf = /^(-?\d+(?:\.\d+)?)(\p{L}*|%)$/u

/** "-", "none", "n/a": nothing is stated. */
const isNothing = /^(?:[-–—?]*|tbd|tba|todo|none|null|nil|n\/a|empty|unset|see .*|keine?|aucune?|ninguno)$/u
