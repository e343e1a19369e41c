import { type ParsedMarkdown, plainText } from "../../files/markdown/index.js"
import { nameNorm } from "../../platform/kernel/index.js"

/** A thing that a document names, with its type. */
export interface TypedName {
  readonly name: string
  readonly type: string
}

const words = (list: string): ReadonlyArray<string> => list.split(/\s+/u)

const table = (lists: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(lists).flatMap(([type, list]) => words(list).map((word) => [word, type] as const)))

/** Front matter keys whose values are names, with the type of what they name. */
const typeOfKey = table({
  person: `author authors owner owners maintainer maintainers reviewer reviewers approver approvers editor editors
    contact contacts manager lead leads assignee assignees attendee attendees participant participants speaker speakers
    contributor contributors steward stewards`,
  organization: `company companies organization organizations organisation organisations employer client clients
    customer customers vendor vendors supplier suppliers publisher partner partners`,
  place: "city cities country countries place places venue",
  product: "product products tool tools"
})

/** Headings, titles and folders that say what they list, with the type of the things. */
const typeOfList = table({
  person: `people persons contacts team members staff authors contributors attendees participants speakers employees
    colleagues`,
  organization: `companies organizations organisations customers clients vendors suppliers partners competitors`,
  place: "places cities countries locations",
  product: "products tools apps"
})

/** A word that makes a name that of a group. */
const group =
  /^(?:team|squad|group|guild|department|dept|office|committee|board|unit|crew|council|division)$/iu

/** One to five capitalised words, with the small words that names have inside. */
const nameShape =
  /^\p{Lu}[\p{L}\p{M}\p{N}.'’&-]*(?:[ ](?:(?:de|del|della|der|den|di|da|du|van|von|la|le|bin|al|of|and|the|&)|\p{Lu}[\p{L}\p{M}\p{N}.'’&-]*)){0,4}$/u
const nameMax = 80

/** Returns the name in a text, or null. `Petra Sand (@petra)` and `Petra Sand <petra@example.org>` name Petra Sand. */
const nameIn = (text: string, type: string): TypedName | null => {
  const name = text
    .replace(/\s*[(<].*$/u, "")
    .replace(/\s+/gu, " ")
    .trim()
  if (name.length > nameMax || !nameShape.test(name)) return null
  const parts = name.split(" ")
  if (type !== "person") return { name, type }
  if (parts.some((part) => group.test(part))) return { name, type: "organization" }
  // A single word is a handle, a role or a team as often as a person; so is a name with a digit.
  return parts.length > 1 && !/\p{N}/u.test(name) ? { name, type } : null
}

/** Returns what the value of a front matter key names, or null. */
export const namedByKey = (key: string, value: string | number): TypedName | null => {
  const type = typeOfKey.get(key)
  return type === undefined || typeof value === "number" ? null : nameIn(value, type)
}

/** Returns the type of the subject of a document in a folder of its kind (`people/`, `companies/`), or null. */
export const typeByFolder = (path: string, title: string): string | null => {
  const folder = path.split("/").at(-2) ?? ""
  const type = typeOfList.get(nameNorm(folder))
  if (type === undefined || nameNorm(title) === nameNorm(folder)) return null
  return nameIn(title, type)?.type ?? null
}

const itemCharsMax = 200

/** Returns the names in lists under a heading or title that says what it lists ("People", "Customers"). */
export const namesInLists = (
  { blocks, source }: Pick<ParsedMarkdown, "blocks" | "source">,
  title: string
): ReadonlyArray<TypedName> => {
  const found: Array<TypedName> = []
  let type = typeOfList.get(nameNorm(title))
  for (const { end, heading, kind, partStarts, start } of blocks) {
    if (heading !== null) type = typeOfList.get(nameNorm(heading.text.replace(/:$/u, "")))
    if (kind !== "list" || type === undefined) continue
    const starts = [start, ...partStarts.filter((at) => at > start)]
    for (const at of starts) {
      const line = source.slice(at, Math.min(end, at + itemCharsMax)).split("\n", 1)[0] ?? ""
      // Commands, components and channels name no person, tool or place.
      if (/^\s*(?:[-*+]|\d+[.)])\s+[`<#]/u.test(line)) continue
      const [item = ""] = plainText(line).split(/\s*(?:[:;,(|]|\s[-–—]\s)/u)
      const name = nameIn(item, type)
      if (name !== null) found.push(name)
    }
  }
  return found
}
