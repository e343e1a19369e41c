import { createHash } from "node:crypto"

/** A document as the log says that it should be. */
export interface DocumentState {
  readonly what: "document"
  /** Null for one that came as a file: the first ingest decides. */
  readonly id: string | null
  readonly path: string
  readonly text: string
  /** A word that this version alone holds. */
  readonly mark: string
  readonly live: boolean
}

export interface EntityState {
  readonly what: "entity"
  readonly id: string | null
  readonly name: string
  readonly description: string
  readonly fate: "live" | "merged" | "removed"
  /** The entity that it was merged into, where it was. */
  readonly into?: string
  readonly authority: "asserted" | "certified"
  readonly lifecycle: "draft" | "published"
}

/** A proposed description of an entity. */
export interface RequestState {
  readonly what: "request"
  readonly id: string | null
  /** The subject of its entity. */
  readonly entity: string
  readonly description: string
  /** Note that only this request has. */
  readonly note: string
  readonly status: "open" | "approved" | "rejected"
}

export interface RelationState {
  readonly what: "relation"
  readonly id: string | null
  readonly srcId: string
  readonly dstId: string
  /** Type that only this relation has. */
  readonly type: string
  readonly live: boolean
}

export type State = DocumentState | EntityState | RelationState | RequestState

/** A line of the log: what is about to be done to a subject, and how that ended. */
export type Line =
  | {
      readonly tag: "begin"
      readonly n: number
      /** Operations of one group happen as a whole or not at all, on all their subjects. */
      readonly group: string
      readonly op: string
      readonly subject: string
      readonly to: State
    }
  | { readonly tag: "ack"; readonly n: number; readonly id: string | null }
  | { readonly tag: "refused"; readonly n: number; readonly code: string }

const letters = "bcdfghjklmnpqrtvwxz"

/** A word for a number that no language, stemmer or other number has. */
export const markOf = (number: number): string => {
  let word = ""
  for (let rest = number; word.length < 6; rest = Math.floor(rest / letters.length))
    word = `${letters[rest % letters.length]}${word}`
  return `zq${word}k`
}

/** Returns the text of a note with this mark. */
export const textOf = (mark: string, entity: string, link: string): string =>
  [
    "---",
    "tags: [crash, proof]",
    "---",
    `# Note ${mark}`,
    "",
    `The word of this note is ${mark}. It speaks of ${entity} and leads to [the other](/${link}).`,
    "",
    "## Details",
    "",
    `The Cooling Circuit feeds the ${entity}, as the plant manual says. Batteries rest below forty degrees.`,
    ""
  ].join("\n")

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
