import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Document, DocumentStore, type Passage, passagesOfVersion } from "../../files/documents/index.js"
import { readQuestion } from "../../language/questions/index.js"
import { AnswerTexts, type ReadUnit, TermSet, type TextCache } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { type DocumentId, forEachYielding, once, type WorkspaceScope } from "../../platform/kernel/index.js"
import { makeEvidence } from "../evidence/index.js"

/** A statement of one version of a document. */
export interface VersionStatement {
  readonly unit: ReadUnit
  readonly passage: Passage
  readonly version: number
  /** Since when that version is, or was, the current one. */
  readonly since: string
}

/** What became of a statement from one version of a document to the next. */
export interface StatementChange {
  /** Null for a statement that was added. */
  readonly before: VersionStatement | null
  /** Null for a statement that was removed. */
  readonly after: VersionStatement | null
  /** The version that brought the change, and its moment. */
  readonly version: number
  readonly at: string
}

/** The changes that were found, newest first, and whether texts that they need are no longer stored. */
interface FoundChanges {
  readonly changes: ReadonlyArray<StatementChange>
  readonly isIncomplete: boolean
}

/** Versions of one document that one question compares at most, newest first. */
const versionsMax = 20
/** Statements that one version may add or remove: more are another text. */
const statementsMax = 200
/** The words that two statements have in common at least when one became the other. */
const alikeMin = 0.4

/** Returns how the statements of documents changed between two days. */
export const changesOf = (
  workspace: WorkspaceScope,
  documents: ReadonlyArray<DocumentId>,
  { from, to }: { readonly from: string | null; readonly to: string | null }
) =>
  Effect.gen(function* () {
    const [store, texts] = [yield* DocumentStore, yield* AnswerTexts]
    const rows = (yield* store.findMany(workspace, documents)).filter(({ deletedAt }) => deletedAt === null)
    const isWithin = (at: string): boolean =>
      (from === null || at >= from) && (to === null || at.slice(0, 10) <= to)
    const found = yield* forEachYielding(rows, (row) => changesOfDocument(workspace, row, isWithin, texts))
    // A document that is new is a change of a time, and none of what it says.
    const all = found
      .flatMap(({ changes }) => changes)
      .filter(({ before, version }) => from !== null || before !== null || version > 1)
      .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
    return { changes: all, isIncomplete: found.some((one) => one.isIncomplete) } satisfies FoundChanges
  })

const changesOfDocument = (
  workspace: WorkspaceScope,
  row: Document,
  isWithin: (at: string) => boolean,
  texts: TextCache
) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const { items } = yield* store.versions(workspace, row.id, { limit: versionsMax + 1, offset: 0 })
    const read = new Map<number, ReadonlyArray<VersionStatement> | null>()
    const statements = (version: number, since: string) =>
      Effect.gen(function* () {
        const known = read.get(version)
        if (known !== undefined) return known
        const passages = Option.getOrNull(yield* passagesOfVersion(workspace, row, version))
        const said = passages?.flatMap((passage) => statementsIn(passage, version, since, texts)) ?? null
        read.set(version, said)
        return said
      })
    const changes: Array<StatementChange> = []
    let isIncomplete = false
    for (const [place, { createdAt: at, version }] of items.slice(0, versionsMax).entries()) {
      if (!isWithin(at)) continue
      const before = items[place + 1]
      const after = yield* statements(version, at)
      const former = before === undefined ? [] : yield* statements(before.version, before.createdAt)
      if (after === null || former === null || (before === undefined && version > 1)) {
        isIncomplete = true
        continue
      }
      const stamp = { version, at }
      if (before === undefined) {
        const [first] = after
        if (first !== undefined) changes.push({ before: null, after: first, ...stamp })
      } else changes.push(...between(former, after).map((change) => ({ ...change, ...stamp })))
    }
    return { changes, isIncomplete } satisfies FoundChanges
  })

/** What a document says of its own versions changes with each of them. */
const ofVersions = /^(?:updated|modified|last.?\w+|date|created|revision)$/iu

const statementsIn = (
  passage: Passage,
  version: number,
  since: string,
  texts: TextCache
): ReadonlyArray<VersionStatement> =>
  makeEvidence({ question: noQuestion(), passages: [passage], idf: () => 1, analyse, texts }).sources.flatMap(
    ({ units }) =>
      units
        .filter(({ heading, kind }) => kind !== "list" && !(kind === "field" && ofVersions.test(heading)))
        .map((unit) => ({ unit, passage, version, since }))
  )
const noQuestion = once(() => readQuestion("", analyse))

/** Pairs the statements that only one of two versions has: the most alike first, each once. */
const between = (
  former: ReadonlyArray<VersionStatement>,
  after: ReadonlyArray<VersionStatement>
): ReadonlyArray<Pick<StatementChange, "before" | "after">> => {
  const removed = without(former, after)
  const added = without(after, former)
  const alike = removed
    .flatMap((before) => added.map((later) => ({ before, after: later, share: likeness(before, later) })))
    .filter(({ share }) => share >= alikeMin)
    .sort((one, other) => other.share - one.share)
  const paired = new Map<VersionStatement, VersionStatement>()
  const used = new Set<VersionStatement>()
  for (const { after: later, before } of alike) {
    if (paired.has(later) || used.has(before)) continue
    paired.set(later, before)
    used.add(before)
  }
  return [
    ...added.map((later) => ({ before: paired.get(later) ?? null, after: later })),
    ...removed.flatMap((before) => (used.has(before) ? [] : [{ before, after: null }]))
  ]
}

/** The statements of one version that the other lacks; one that overlapping passages share counts once. */
const without = (
  all: ReadonlyArray<VersionStatement>,
  others: ReadonlyArray<VersionStatement>
): ReadonlyArray<VersionStatement> => {
  const known = new Set(others.map(({ unit }) => unit.text))
  const found: Array<VersionStatement> = []
  for (const one of all) {
    if (known.has(one.unit.text)) continue
    known.add(one.unit.text)
    found.push(one)
    if (found.length === statementsMax) break
  }
  return found
}

/** The share of common words of two statements, apart from their values; statements of one kind only are alike. */
const likeness = (one: VersionStatement, other: VersionStatement): number => {
  if (one.unit.kind !== other.unit.kind) return 0
  const [a, b] = [wordsOf(one.unit), wordsOf(other.unit)]
  const isOfOneName = one.unit.kind === "field" && one.unit.heading === other.unit.heading
  return isOfOneName ? 1 : a.overlap(b) + (one.unit.heading === other.unit.heading ? sameHeading : 0)
}
const sameHeading = 0.05

const wordsOf = (unit: ReadUnit): TermSet =>
  new TermSet(
    unit
      .termsIn(unit.language)
      .filter(({ end, start }) => !unit.values.some((value) => start < value.end && value.start < end))
      .map(({ term }) => term)
  )
