import type { CacheQuestion } from "../answering/index.js"
import type { Evidence as AnswerEvidence } from "../evidence/index.js"
import { canonicalJson } from "../kernel/index.js"
import type { Settings } from "../workspace/index.js"
import { questionKey } from "./question-key.js"
import type { CacheEntry } from "./store.js"

/** Gives the hexadecimal SHA-256 of a text. */
export type Digest = (text: string) => string

/** What an answer depends on beside the question, each as one digest. */
export interface CacheKeys {
  /** Models, prompt, verifier, pipeline and calibration. */
  readonly versions: string
  /** The versions, and how the question was asked. */
  readonly scope: string
  /** The chosen passages with their texts, in any order. */
  readonly evidence: string
  /** All of them and the question. */
  readonly id: string
}

/** Pure. The workspace is no part of a key: it leads every row. */
export const cacheKeys = (
  { evidence, maxSources, policyMode, versions: named }: CacheQuestion,
  digest: Digest
): CacheKeys => {
  const versions = versionsKey(named, digest)
  const scope = digest(canonicalJson({ format: 1, maxSources, policyMode, versions }))
  const passages = digest(canonicalJson(evidenceIdentity(evidence, digest)))
  const id = idOf(scope, passages, evidence.question.text, digest)
  return { versions, scope, evidence: passages, id }
}

/**
 * Whether what an entry holds is its own: the answer says whose it is, and the id tells scope, evidence and question,
 * where that is kept. Pure.
 */
export const isItsOwn = ({ evidence, id, kept, question, scope }: CacheEntry, digest: Digest): boolean =>
  (kept.of === undefined || kept.of === id) &&
  (question === "" || idOf(scope, evidence, question, digest) === id)

const idOf = (scope: string, evidence: string, question: string, digest: Digest): string =>
  digest(canonicalJson([scope, evidence, questionKey(question)]))

/** One digest of the versions of all that answers follow. */
export const versionsKey = (versions: CacheQuestion["versions"], digest: Digest): string =>
  digest(canonicalJson(versions))

const evidenceIdentity = ({ sources }: AnswerEvidence, digest: Digest): ReadonlyArray<string> =>
  sources.map(({ passage: { id, text } }) => `${id} ${digest(text)}`).sort()

/** What of the settings every answer follows. */
export const followedSettings = (settings: Settings): string => {
  const { chunking, models, policy, retrieval } = settings
  return canonicalJson({ chunking, models, policy, retrieval })
}
