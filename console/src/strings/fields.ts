/** Names of fields and values of records, as diffs and tables show them. */
import { formatMoment, inLanguage } from "../language.js"
import { strings } from "../strings.js"

export const englishFields = {
  names: {
    name: "Name",
    type: "Type",
    aliases: "Other names",
    description: "Description",
    editorialNote: "Editorial note",
    authority: "Authority",
    lifecycle: "Lifecycle",
    lifecycleStatus: "Lifecycle",
    ownerId: "Owner",
    stewardIds: "Stewards",
    supersededBy: "Superseded by",
    lastReviewedAt: "Last reviewed",
    nextReviewAt: "Next review",
    deletedAt: "Deleted",
    mergedInto: "Merged into",
    verification: "Verification",
    note: "Note"
  } as Readonly<Record<string, string>>,
  lifecycles: {
    draft: "Draft",
    pending_review: "Pending review",
    published: "Published",
    deprecated: "Deprecated",
    superseded: "Superseded"
  } as Readonly<Record<string, string>>,
  nothing: "nothing",
  yes: "yes",
  no: "no",
  people: {
    you: (name: string) => `${name} (you)`,
    noMember: (id: string) => `${id} (no member)`
  }
}

const text = inLanguage("fields", englishFields)

export const fieldName = (field: string): string =>
  text.names[field] ??
  field.replaceAll(/([a-z])([A-Z])/g, (_, last: string, first: string) => `${last} ${first.toLowerCase()}`)

export const lifecycleText = text.lifecycles
export const peopleText = text.people

/** A value in words. */
export const valueText = (field: string, value: unknown): string => {
  if (value === null || value === undefined || value === "") return text.nothing
  if (typeof value === "boolean") return value ? text.yes : text.no
  if (typeof value !== "string") return JSON.stringify(value)
  if (field === "lifecycleStatus" || field === "lifecycle") return lifecycleText[value] ?? value
  if (field === "authority") return strings.authority[value as keyof typeof strings.authority] ?? value
  if (/At$/.test(field)) {
    const at = new Date(value)
    return Number.isNaN(at.getTime()) ? value : formatMoment(at)
  }
  return value
}
