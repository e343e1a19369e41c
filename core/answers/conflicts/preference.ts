import type { Verification } from "../../files/documents/index.js"
import type { Authority } from "../../knowledge/entities/index.js"
import { AnchorField } from "../../language/text-analysis/index.js"
import { type DocumentId, nameNorm } from "../../platform/kernel/index.js"
import type { Evidence } from "../evidence/index.js"

/** Governance state of a source. */
interface SourceStanding {
  /** Null for data rows, which nobody verifies; certified where the workspace certifies its system of record. */
  readonly verification: Verification | null
  /** Highest authority of the live entities that the document describes or grounds; null when there is none. */
  readonly authority: Authority | null
  /** Day of the document's last change, from its front matter if given, or of a data call; null when unknown. */
  readonly updatedAt: string | null
  /** Deprecated, or superseded by another: its content is declared out of date. */
  readonly isRetired: boolean
  /** Name of its successor; null when unknown. */
  readonly successor: string | null
}

/** Governance state of an entity that documents may be about. */
export interface ConceptStanding {
  readonly id: string
  /** All its names. */
  readonly names: ReadonlyArray<string>
  readonly authority: string
  readonly lifecycle: string
  /** Id of the superseding entity. */
  readonly supersededBy: string | null
}

/** Governance of entities, and of documents by their front matter. */
export interface SourceGovernance {
  readonly entities: ReadonlyArray<ConceptStanding>
  readonly documents?: ReadonlyMap<DocumentId, DeclaredStanding>
}

/**
 * Returns the governance state of a source: verification and date of its document, and the authority of the entities
 * in its title, else of those in its text. A document about a retired entity counts as retired. Rows have the standing of
 * their system of record and the date of their execution.
 */
export const standingOf = (
  evidence: Evidence,
  sourceId: string,
  { documents, entities: concepts }: SourceGovernance
): SourceStanding => {
  const source = evidence.sources.find(({ id }) => id === sourceId)
  if (source === undefined) {
    const data = evidence.data.find(({ id }) => id === sourceId)
    const standing = data?.standing ?? null
    return {
      verification: standing === "certified" ? "certified" : null,
      authority: standing,
      updatedAt: data?.call?.executedAt.slice(0, 10) ?? null,
      isRetired: false,
      successor: null
    }
  }
  const { docTitle, docUpdatedAt, docVerification, documentId } = source.passage
  const declared = documents?.get(documentId)
  const about = namedIn(docTitle, concepts)
  const retired = about.length > 0 && about.every(isRetired) ? about[0] : undefined
  const live = (about.length > 0 ? about : namedIn(source.text, concepts)).filter((one) => !isRetired(one))
  const known = ranks.filter((rank) => live.some(({ authority }) => authority === rank))
  return {
    verification: docVerification,
    authority: known.at(-1) ?? null,
    updatedAt: declared?.updatedAt ?? docUpdatedAt.slice(0, 10),
    isRetired: docVerification === "deprecated" || declared?.isRetired === true || retired !== undefined,
    successor:
      declared?.successor ?? concepts.find(({ id }) => id === retired?.supersededBy)?.names[0] ?? null
  }
}

const isRetired = ({ lifecycle }: ConceptStanding): boolean =>
  lifecycle === "deprecated" || lifecycle === "superseded"

const namedIn = (text: string, concepts: ReadonlyArray<ConceptStanding>): ReadonlyArray<ConceptStanding> => {
  if (concepts.length === 0) return []
  const field = new AnchorField(text)
  return concepts.filter(({ names }) =>
    names.some((name) => field.has({ kind: "phrase", text: name, norm: nameNorm(name) }))
  )
}

/** Governance state declared in a document's front matter. */
export interface DeclaredStanding {
  /** Its status is superseded, deprecated, withdrawn, obsolete or similar, or it names its successor. */
  readonly isRetired: boolean
  readonly successor: string | null
  /** The declared day of its last change ("2026-03-31"); null when it declares none. */
  readonly updatedAt: string | null
}

/** Reads the governance state from front matter. */
export const declaredStanding = (fields: Readonly<Record<string, unknown>>): DeclaredStanding => {
  const text = (...names: ReadonlyArray<string>): string | null => {
    for (const [key, value] of Object.entries(fields))
      if (
        names.includes(key.toLowerCase().replace(/[\s-]+/gu, "_")) &&
        typeof value === "string" &&
        value !== ""
      )
        return value
    return null
  }
  const successor = text("superseded_by", "replaced_by", "ersetzt_durch", "remplacé_par")
  const status = text("status", "state")
  const date = text("updated", "last_updated", "updated_at", "modified", "date")
  return {
    isRetired: successor !== null || (status !== null && outOfUse.test(status.trim())),
    successor,
    updatedAt: date !== null && /^\d{4}-\d{2}-\d{2}/u.test(date) ? date.slice(0, 10) : null
  }
}

const outOfUse =
  /^(?:superseded|deprecated|withdrawn|obsolete|archived|retired|replaced|veraltet|ersetzt|zurückgezogen|obsolète|remplacée?|retirée?)$/iu

interface Placed {
  readonly sourceId: string
  readonly standing: SourceStanding
}

/**
 * Returns the side that governance prefers, with the reason in words: not retired before retired, then by verification
 * tier, then by authority, then the latest. Null when the best sources are equal in all of these.
 */
export const preferredOf = (
  sides: ReadonlyArray<Placed>
): { readonly preferred: string | null; readonly reason: string; readonly isSuperseded: boolean } => {
  const retired = sides.filter(({ standing }) => standing.isRetired)
  const isSuperseded = retired.length > 0 && retired.length < sides.length
  for (const { compare, why } of rules) {
    const [top] = [...sides].sort((a, b) => compare(b.standing, a.standing))
    const best = sides.filter(({ standing }) => top !== undefined && compare(standing, top.standing) === 0)
    const sources = new Set(best.map(({ sourceId }) => sourceId))
    if (best.length === sides.length) continue
    const [winner] = best
    // Several equal sides are preferred to the rest; when they have the same value, it does not matter which of them
    // is returned.
    const loser = sides.find((side) => !best.includes(side))
    if (winner === undefined || loser === undefined) continue
    if (sources.size > 1) {
      const preferredOfBest = preferredOf(best)
      return { ...preferredOfBest, isSuperseded }
    }
    return { preferred: winner.sourceId, reason: why(winner, loser), isSuperseded }
  }
  return {
    preferred: null,
    reason: "The sources are equal in verification, authority and date.",
    isSuperseded
  }
}

interface Rule {
  /** Above 0 when the first is preferred. */
  readonly compare: (a: SourceStanding, b: SourceStanding) => number
  readonly why: (winner: Placed, loser: Placed) => string
}

const tiers: ReadonlyArray<Verification> = ["deprecated", "unverified", "verified", "certified"]
const ranks: ReadonlyArray<Authority> = ["machine_extracted", "asserted", "curated", "certified"]
const tierOf = ({ verification }: SourceStanding): number => tiers.indexOf(verification ?? "unverified")
const rankOf = ({ authority }: SourceStanding): number => (authority === null ? -1 : ranks.indexOf(authority))
const dayOf = (at: string | null): string => at?.slice(0, 10) ?? "an unknown day"

const rules: ReadonlyArray<Rule> = [
  {
    compare: (a, b) => Number(b.isRetired) - Number(a.isRetired),
    why: (winner, loser) => {
      const { successor, verification } = loser.standing
      const how = verification === "deprecated" ? "deprecated" : "superseded"
      return successor === null
        ? `${loser.sourceId} is ${how}, ${winner.sourceId} is not.`
        : `${loser.sourceId} is ${how} in favour of ${successor}, ${winner.sourceId} is not.`
    }
  },
  {
    compare: (a, b) => tierOf(a) - tierOf(b),
    why: (winner, loser) =>
      `${winner.sourceId} is ${winner.standing.verification ?? "unverified"}, ${loser.sourceId} is ${loser.standing.verification ?? "unverified"}.`
  },
  {
    compare: (a, b) => rankOf(a) - rankOf(b),
    why: (winner, loser) =>
      `Both are equally verified; ${winner.sourceId} has the authority ${winner.standing.authority ?? "none"}, ${loser.sourceId} ${loser.standing.authority ?? "none"}.`
  },
  {
    compare: (a, b) => (a.updatedAt ?? "").localeCompare(b.updatedAt ?? ""),
    why: (winner, loser) =>
      `Both are equally verified and of equal authority; ${winner.sourceId} was changed later (${dayOf(winner.standing.updatedAt)}) than ${loser.sourceId} (${dayOf(loser.standing.updatedAt)}).`
  }
]
