/** Names of fields and values of records, as diffs and tables show them. */
import { strings } from "../strings.js"

const names: Readonly<Record<string, string>> = {
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
}

export const fieldName = (field: string): string =>
  names[field] ??
  field.replaceAll(/([a-z])([A-Z])/g, (_, last: string, first: string) => `${last} ${first.toLowerCase()}`)

export const lifecycleText: Readonly<Record<string, string>> = {
  draft: "Draft",
  pending_review: "Pending review",
  published: "Published",
  deprecated: "Deprecated",
  superseded: "Superseded"
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

/** A value in words. */
export const valueText = (field: string, value: unknown): string => {
  if (value === null || value === undefined || value === "") return "nothing"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value !== "string") return JSON.stringify(value)
  if (field === "lifecycleStatus" || field === "lifecycle") return lifecycleText[value] ?? value
  if (field === "authority") return strings.authority[value as keyof typeof strings.authority] ?? value
  if (/At$/.test(field)) {
    const at = new Date(value)
    return Number.isNaN(at.getTime()) ? value : moment.format(at)
  }
  return value
}

export const peopleText = {
  you: (name: string) => `${name} (you)`,
  noMember: (id: string) => `${id} (no member)`
}
