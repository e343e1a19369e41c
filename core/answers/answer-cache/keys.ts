import { canonicalJson } from "../../platform/kernel/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import type { CacheEntry, CacheQuestion } from "../answering/index.js"
import { type Evidence as AnswerEvidence, plainStyle } from "../evidence/index.js"
import { questionKey } from "./question-key.js"

/** Returns the hexadecimal SHA-256 of a text. */
export type Digest = (text: string) => string

/** Digests of everything that an answer depends on. */
export interface CacheKeys {
  /** Models, prompt, verifier, pipeline and calibration. */
  readonly versions: string
  /** Versions and options of the question. */
  readonly scope: string
  /** The chosen passages with their texts, in any order. */
  readonly evidence: string
  /** Key of all of these and the question. */
  readonly id: string
}

/** Returns the cache keys of a question, asked by a caller with this view. Pure. The workspace is not included, because every row starts with it. */
export const cacheKeys = (
  { evidence, maxSources, policyMode, versions: named }: CacheQuestion,
  digest: Digest,
  view: string | null = null
): CacheKeys => {
  const versions = versionsKey(named, digest)
  const { style } = evidence
  // An answer of the plain style has the key that it always had.
  const worded = canonicalJson(style) === canonicalJson(plainStyle) ? {} : { style }
  const seen = view === null ? {} : { view }
  const scope = digest(canonicalJson({ format: 1, maxSources, policyMode, versions, ...worded, ...seen }))
  const passages = digest(canonicalJson(evidenceIdentity(evidence, digest)))
  const id = idOf(scope, passages, evidence.question.text, digest)
  return { versions, scope, evidence: passages, id }
}

/** Returns whether an entry's content matches its id and its keys, as far as the question is stored. Pure. */
export const matchesItsKeys = (
  { evidence, id, kept, question, scope }: CacheEntry,
  digest: Digest
): boolean =>
  (kept.of === undefined || kept.of === id) &&
  (question === "" || idOf(scope, evidence, question, digest) === id)

const idOf = (scope: string, evidence: string, question: string, digest: Digest): string =>
  digest(canonicalJson([scope, evidence, questionKey(question)]))

/** Returns one digest of all versions that answers depend on. */
export const versionsKey = (versions: CacheQuestion["versions"], digest: Digest): string =>
  digest(canonicalJson(versions))

const evidenceIdentity = ({ sources }: AnswerEvidence, digest: Digest): ReadonlyArray<string> =>
  sources.map(({ passage: { id, text } }) => `${id} ${digest(text)}`).sort()

/** Returns the settings that every answer depends on. */
export const answerSettings = (settings: Settings): string => {
  const { chunking, models, policy, retrieval } = settings
  return canonicalJson({ chunking, models, policy, retrieval })
}
