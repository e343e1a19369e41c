import { wordwise } from "../../language/languages/index.js"
import type { RelationRule } from "./relation-rules.js"

/** One way to read what a question asks for: the end of a relation of this type that is not `known`. */
export interface RelationSought {
  readonly type: string
  readonly known: "from" | "to"
  /** Pattern that the sentence must match beside the relation. */
  readonly says?: RegExp
}

/** Returns the words of a list in a rule. */
export const split = (words = ""): ReadonlyArray<string> => words.split("|").filter((word) => word !== "")

/** Returns a pattern for one of these words as whole words. */
export const wordPattern = (words: ReadonlyArray<string>): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${words.join("|")})(?!\\p{L})`, "iu")

/** Roles that are one and the same. */
const sameRole: ReadonlyArray<ReadonlyArray<string>> = [
  ["ceo", "chief executive", "chief executive officer"],
  ["cto", "chief technology officer"],
  ["cfo", "chief financial officer"],
  ["coo", "chief operating officer"],
  ["chair", "chairman", "chairwoman", "chairperson"],
  [
    "founder",
    "founders",
    "co-founder",
    "cofounder",
    "founded",
    "co-founded",
    "cofounded",
    "established",
    "set up"
  ],
  ["customer", "customers", "client", "clients"],
  ["supplier", "suppliers", "supply", "supplies", "supplied", "provides", "vendor"],
  ["partner", "partners"],
  ["member", "founding member", "member state", "fellow", "among the members"]
]
/** Roles for which any words of the relation do. */
const generalRole =
  /^(?:leader|boss|head|owner|parent(?: company)?|successor|manager|supervisor|line manager|headquarters|head office|seat)$/iu

/** Returns what the sentence must say for a role, beside that it states the relation. */
const saysRole = (type: string, role: string): RegExp | undefined => {
  const given = role.toLowerCase()
  if (type !== "works_for" && generalRole.test(given)) return undefined
  return wordPattern(sameRole.find((same) => same.includes(given)) ?? [given])
}

const belonging = wordwise(() => /(?<!\p{L})(?:belong(?:s|ed)? to|subsidiary)(?!\p{L})/iu)
/** A chief of finance does not lead the company. */
const leading = wordwise(
  () =>
    /^(?!.*(?<!\p{L})(?:chief (?:technology|financial|operating) officer|c[tfo]o|principal|leader of the)(?!\p{L}))/iu
)

/** Other relations that state the same. */
const alternatives = ({ known, says, type }: RelationSought, word: string): ReadonlyArray<RelationSought> => {
  const other = known === "from" ? "to" : "from"
  const alike = (...more: ReadonlyArray<RelationSought>) => [
    says === undefined ? { type, known } : { type, known, says },
    ...more
  ]
  switch (type) {
    case "owns":
      return alike(
        { type: "acquired", known },
        /^parent/iu.test(word)
          ? { type: "part_of", known: other }
          : { type: "part_of", known: other, says: belonging() }
      )
    case "part_of":
      return /^subsidiar/iu.test(word)
        ? alike({ type: "owns", known: other }, { type: "acquired", known: other })
        : alike()
    case "based_in":
      return alike({ type: "located_in", known })
    case "located_in":
      return alike({ type: "based_in", known })
    case "supplies":
      return alike({ type: "customer_of", known: other })
    case "customer_of":
      return alike({ type: "supplies", known: other })
    case "partner_of":
      return alike({ type, known: other })
    case "works_for":
      return alike({ type: "leads", known })
    case "leads":
      return says === undefined ? [{ type, known, says: leading() }] : alike()
    default:
      return alike()
  }
}

/** Returns what a question with this verb or role asks for: the relation itself and others that state the same. */
export const soughtBy = (
  { type }: RelationRule,
  known: "from" | "to",
  word: string,
  isRole: boolean
): ReadonlyArray<RelationSought> => {
  const says = isRole ? saysRole(type, word) : undefined
  return alternatives(says === undefined ? { type, known } : { type, known, says }, word)
}
