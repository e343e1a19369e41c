import { paint, proseColumns } from "./terminal.js"
import { cleanLine, wrap } from "./text.js"

/** Changed fields with their old and new values. */
export type Difference = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>

/** Fields that tell people something, and what they are called. */
const titles: Readonly<Record<string, string>> = {
  name: "name",
  type: "type",
  aliases: "also called",
  description: "description",
  authority: "authority",
  lifecycleStatus: "life cycle",
  supersededBy: "replaced by",
  ownerId: "owner",
  stewardIds: "stewards",
  nextReviewAt: "next review",
  editorialNote: "editorial note",
  mergedInto: "merged into",
  mergedIds: "merged with",
  deletedAt: "deleted"
}

/** A line or more for each field: what it was, and what it is; of lists only what came and went. */
export const differenceLines = (difference: Difference): ReadonlyArray<string> =>
  Object.entries(titles).flatMap(([field, title]) => {
    const change = difference[field]
    if (change === undefined) return []
    const [from, to] = [wordsOf(change.from), wordsOf(change.to)]
    const lines = [
      ...from.filter((one) => !to.includes(one)).map((one) => paint.red(wrapped("- ", one))),
      ...to.filter((one) => !from.includes(one)).map((one) => paint.green(wrapped("+ ", one)))
    ]
    return lines.length === 0 ? [] : [`  ${paint.dim(title)}`, ...lines]
  })

const wrapped = (mark: string, text: string): string => {
  const inner = "      "
  return `    ${mark}${wrap(text, proseColumns(), inner).slice(inner.length)}`
}

const wordsOf = (value: unknown): ReadonlyArray<string> => {
  if (value === null || value === undefined || value === "") return []
  if (Array.isArray(value)) return value.map((one) => cleanLine(String(one)))
  return [cleanLine(String(value))]
}
