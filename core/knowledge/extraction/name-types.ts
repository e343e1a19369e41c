import { nameNorm } from "../../platform/kernel/index.js"
import { firstNames, lastNames, organizations, places } from "./english-names.js"

const listed = (names: string) => {
  let read: ReadonlySet<string> | undefined
  return (name: string): boolean => {
    read ??= new Set(names.split(","))
    return read.has(name)
  }
}
const isFirstName = listed(firstNames)
const isLastName = listed(lastNames)
const isPlace = listed(places)
const isOrganization = listed(organizations)

/** Words that end the name of an organisation. */
const firm =
  /^(?:inc|ltd|llc|plc|gmbh|ag|sa|bv|corp|corporation|company|university|foundation|institute|association|ministry)$/u

/** Words that end the name of a thing that is named after a person. */
const namesake =
  /^(?:team|squad|group|street|square|lake|river|park|prize|award|law|theorem|algorithm|office|bridge|tower|hall|building|project|plan|report|act|day|week|framework|model|method|test|scale|index|curve|effect|number|function|distribution|machine|protocol|server|service|system|room|site|release|county|island|school|college|hotel|airport|station)s?$/u

/**
 * Returns the type of an English name as far as its words show it, else null: a first name with others after it, a
 * known place or organisation, or a word such as "Ltd" at its end. Precise rather than complete.
 */
export const typeOfName = (name: string): string | null => {
  const key = nameNorm(name).replace(/\./gu, "")
  if (isPlace(key)) return "place"
  if (isOrganization(key)) return "organization"
  const words = key.split(" ")
  const [first = "", second = ""] = words
  const last = words.at(-1) ?? ""
  if (words.length > 1 && (firm.test(last) || firm.test(first))) return "organization"
  if (words.length < 2 || words.length > 3 || namesake.test(last) || /\p{N}/u.test(key)) return null
  const isReversed = words.length === 2 && isLastName(first) && isFirstName(second)
  return isFirstName(first) || isReversed ? "person" : null
}
