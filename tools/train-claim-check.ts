/**
 * Fits the check of claims (`core/answers/grounding/claim-model.ts`) to statements made of the collections of
 * `KANON_BENCH_DATA`: true ones are questions with their answers, long answers that people wrote, and reworded
 * sentences; false ones are edits of these, questions with the answers of other questions, and answers beside another
 * passage. Prints for each set what the model does that never saw it. `npx tsx tools/train-claim-check.ts [--write]`.
 */
import { writeFileSync } from "node:fs"
import { jsonQuestions, readCorpus } from "../bench/data.js"
import { claimsOf, looseStatementOf, namesOf, statementOf } from "../bench/grounding-claims.js"
import { randomFrom, shuffled } from "../bench/random.js"
import { fitStandardised } from "../core/answers/calibration/index.js"
import { makeEvidence } from "../core/answers/evidence/index.js"
import { claimFeatureNames } from "../core/answers/grounding/claim-features.js"
import { checkClaim, readClaim } from "../core/answers/grounding/grounding.js"
import type { Passage } from "../core/files/documents/index.js"
import { readQuestion } from "../core/language/questions/index.js"
import { sentences } from "../core/language/text-analysis/sentences.js"
import { analyse } from "../core/language/tokenization/index.js"
import { ChunkId, DocumentId } from "../core/platform/kernel/index.js"

const seed = 1
const perKind = 140

const sets = ["squad2-dev-8", "xquad-dev-en", "xquad-dev-de", "xquad-dev-es", "clapnq-dev", "eips"]

/** A statement with the windows that may support it. */
interface Row {
  readonly set: string
  readonly kind: string
  readonly text: string
  readonly isTrue: boolean
  readonly windows: ReadonlyArray<ReadonlyArray<number>>
  /** A name or value of it stands nowhere in its source: refused whatever the model says. */
  readonly isForeign: boolean
  readonly isVerbatim: boolean
  readonly wasRight: boolean
}

interface Made {
  readonly kind: string
  readonly text: string
  readonly isTrue: boolean
  readonly passage: Passage
}

const passagesOf = (folder: string): ReadonlyArray<Passage> =>
  (readCorpus(folder) ?? []).map(({ id, text, title }, at) => ({
    id: ChunkId.parse(`chk_${String(at + 1).padStart(26, "0")}`),
    documentId: DocumentId.parse(`doc_${String(at + 1).padStart(26, "0")}`),
    label: at + 1,
    ordinal: 0,
    headingPath: [],
    text: text.slice(0, 6000),
    start: 0,
    end: text.length,
    docTitle: title,
    docPath: `${id}.md`,
    docVerification: "unverified",
    docUpdatedAt: "2026-01-01T00:00:00.000Z"
  }))

const sentencesOf = (text: string): ReadonlyArray<string> =>
  sentences(text)
    .map(({ end, start }) => text.slice(start, end).trim())
    .filter((one) => one.length >= 40 && one.length <= 260 && /^\p{Lu}.*\.$/u.test(one))

const isLike = (a: string, b: string): boolean => {
  const kindOf = (text: string) =>
    /^[12]\d{3}$/u.test(text)
      ? "year"
      : /\d/u.test(text)
        ? "number"
        : /^\p{Lu}/u.test(text)
          ? "name"
          : "other"
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return kindOf(a) === kindOf(b) && !x.includes(y) && !y.includes(x)
}

const madeOf = (set: string, passages: ReadonlyArray<Passage>): ReadonlyArray<Made> => {
  const random = randomFrom(seed)
  const byId = new Map(passages.map((passage) => [passage.docPath.slice(0, -3), passage]))
  const names = [...new Set(passages.slice(0, 400).flatMap(({ text }) => namesOf(text)))]
  const made: Array<Made> = []
  const edited = (text: string, passage: Passage, from: string) => {
    for (const one of claimsOf(text, passage.text, names, Math.floor(random() * 1e9)))
      if (!one.isTrue) made.push({ ...one, kind: `${from}: ${one.kind}`, passage })
  }
  for (const { passage, text } of shuffled(
    passages.flatMap((passage) => sentencesOf(passage.text).map((text) => ({ passage, text }))),
    seed
  ).slice(0, perKind))
    for (const one of claimsOf(text, passage.text, names, Math.floor(random() * 1e9)))
      made.push({ ...one, kind: `sentence: ${one.kind}`, passage })
  const questions = set === "eips" ? [] : shuffled(jsonQuestions(set), seed)
  for (const { answerable, answers, paragraph, text: question } of questions.slice(0, 3 * perKind)) {
    const passage = byId.get(paragraph ?? "")
    if (passage === undefined) continue
    const [answer] = answers ?? []
    if (set === "clapnq-dev") {
      if (answerable !== true || answer === undefined) continue
      for (const text of sentences(answer).map(({ end, start }) => answer.slice(start, end).trim())) {
        if (text.split(/\s+/u).length < 5) continue
        made.push({ kind: "long answer", text, isTrue: true, passage })
        edited(text, passage, "long answer")
        const other = passages[Math.floor(random() * passages.length)]
        if (other !== undefined && other !== passage)
          made.push({ kind: "long answer of another", text, isTrue: false, passage: other })
      }
      continue
    }
    const others = questions.filter(
      (one) => one.paragraph === paragraph && one.text !== question && one.answers?.[0] !== undefined
    )
    const stated = (said: string) => statementOf(question, said) ?? looseStatementOf(question, said)
    if (answerable !== false && answer !== undefined) {
      const text = stated(answer)
      if (text === null) continue
      made.push({ kind: "question with its answer", text, isTrue: true, passage })
      edited(text, passage, "question")
      const rival = others.find((one) => isLike(one.answers?.[0] ?? "", answer))?.answers?.[0]
      const wrong = rival === undefined ? null : stated(rival)
      if (wrong !== null)
        made.push({ kind: "question with another answer", text: wrong, isTrue: false, passage })
    } else {
      const rival = others[Math.floor(random() * others.length)]?.answers?.[0]
      const wrong = rival === undefined ? null : stated(rival)
      if (wrong !== null)
        made.push({ kind: "unanswerable question with an answer", text: wrong, isTrue: false, passage })
    }
  }
  return made
}

const idfOf = (passages: ReadonlyArray<Passage>) => {
  const counts = new Map<string, number>()
  for (const { text } of passages)
    for (const term of new Set(analyse(text).map((one) => one.term)))
      counts.set(term, (counts.get(term) ?? 0) + 1)
  return (term: string): number => {
    const found = counts.get(term) ?? 0
    return Math.log(1 + (passages.length - found + 0.5) / (found + 0.5))
  }
}

const rowsOf = (set: string): ReadonlyArray<Row> => {
  const passages = passagesOf(set)
  const idf = idfOf(passages)
  const kinds = new Map<string, Array<Made>>()
  for (const one of madeOf(set, passages)) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one])
  return [...kinds.values()].flatMap((made) =>
    shuffled(made, seed)
      .slice(0, perKind)
      .flatMap(({ isTrue, kind, passage, text }): ReadonlyArray<Row> => {
        const evidence = makeEvidence({
          question: readQuestion(text, analyse),
          passages: [passage],
          idf,
          analyse
        })
        const claim = { text, citations: ["S1"] }
        const read = readClaim(claim, evidence)
        if (read === null) return []
        return [
          {
            set,
            kind,
            text,
            isTrue,
            windows: read.windows.map(({ features }) => features),
            isForeign: read.foreign !== undefined,
            isVerbatim: read.best.window.verbatim,
            wasRight: checkClaim(claim, evidence).supported === isTrue
          }
        ]
      })
  )
}

interface Model {
  readonly intercept: number
  readonly weights: ReadonlyArray<number>
  readonly threshold: number
}

const scoreOf = ({ intercept, weights }: Model, row: Row): number => {
  if (row.isForeign) return 0
  if (row.isVerbatim) return 1
  const best = Math.max(
    ...row.windows.map((features) =>
      features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), intercept)
    )
  )
  return 1 / (1 + Math.exp(-best))
}

/** Statements in other words than the passage's, and their edits: what the check is for. */
const isRewritten = ({ kind }: Row): boolean => !kind.startsWith("sentence")

/** True and false statements weigh the same in each set, and so does each kind of them; rewritten ones count thrice. */
const weightsOf = (rows: ReadonlyArray<Row>): ReadonlyMap<Row, number> => {
  const groups = groupBy(rows, ({ isTrue, kind, set }) => `${set} ${kind} ${isTrue}`)
  const sides = groupBy(groups.values(), ([first]) => `${first?.set} ${first?.isTrue}`)
  const weights = new Map<Row, number>()
  for (const kinds of sides.values())
    for (const group of kinds)
      for (const row of group)
        weights.set(row, ((isRewritten(row) ? 3 : 1) * 1000) / kinds.length / Math.max(50, group.length))
  return weights
}

const fitted = (rows: ReadonlyArray<Row>): Model => {
  const usable = rows.filter(({ isForeign, isVerbatim }) => !isForeign && !isVerbatim)
  const weights = weightsOf(usable)
  let model: Model | undefined
  // A claim is judged by the window that supports it most, which depends on the model.
  for (let round = 0; round < 3; round += 1) {
    const examples = usable.map((row) => {
      const chosen =
        model === undefined
          ? row.windows[0]
          : row.windows.reduce((a, b) => (raw(model, b) > raw(model, a) ? b : a), row.windows[0] ?? [])
      return { features: chosen ?? [], right: row.isTrue, weight: weights.get(row) ?? 1 }
    })
    const {
      deviations,
      intercept,
      means,
      weights: standard
    } = fitStandardised([...claimFeatureNames], examples, 1)
    const plain = standard.map((weight, at) => weight / (deviations[at] ?? 1))
    model = {
      weights: plain,
      intercept: intercept - plain.reduce((sum, weight, at) => sum + weight * (means[at] ?? 0), 0),
      threshold: 0.5
    }
  }
  if (model === undefined) throw new Error("There are no statements.")
  return { ...model, threshold: thresholdOf(model, rows) }
}

const raw = (model: Model | undefined, features: ReadonlyArray<number>): number =>
  model === undefined
    ? 0
    : features.reduce((sum, value, at) => sum + value * (model.weights[at] ?? 0), model.intercept)

/** The lowest threshold at which at most a tenth of the false statements pass, by the mean over sets. */
const thresholdOf = (model: Model, rows: ReadonlyArray<Row>): number => {
  let chosen = 0.95
  for (let at = 0.95; at >= 0.05; at -= 0.01) {
    if (sharePassed({ ...model, threshold: at }, rows.filter(isRewritten), false) > 0.095) break
    chosen = at
  }
  return Number(chosen.toFixed(2))
}

const sharePassed = (model: Model, rows: ReadonlyArray<Row>, isTrue: boolean): number => {
  const bySet = [
    ...groupBy(
      rows.filter((row) => row.isTrue === isTrue),
      ({ set }) => set
    ).values()
  ]
  const shares = bySet.map((group) => {
    const kinds = [...groupBy(group, ({ kind }) => kind).values()]
    return mean(
      kinds.map((kind) => mean(kind.map((row) => (scoreOf(model, row) >= model.threshold ? 1 : 0))))
    )
  })
  return mean(shares)
}

const groupBy = <A>(items: Iterable<A>, key: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const rows = sets.flatMap((set) => {
  const found = rowsOf(set)
  console.log(`${set}: ${found.length} statements`)
  return found
})
console.log("\nset left out | true accepted | false accepted | the check as it stands: true, false")
for (const set of sets) {
  const model = fitted(rows.filter((row) => row.set !== set))
  const own = rows.filter((row) => row.set === set)
  const present = (isTrue: boolean) =>
    mean(own.filter((row) => row.isTrue === isTrue).map(({ wasRight }) => (wasRight === isTrue ? 1 : 0)))
  console.log(
    `${set} (${own.length}) | rewritten ${percent(sharePassed(model, own.filter(isRewritten), true))} ${percent(sharePassed(model, own.filter(isRewritten), false))} | all ${percent(sharePassed(model, own, true))} | ${percent(sharePassed(model, own, false))} | ${percent(present(true))}, ${percent(present(false))} | threshold ${model.threshold}`
  )
  for (const [kind, group] of groupBy(own, (row) => `${row.isTrue} ${row.kind}`))
    console.log(
      `    ${kind} (${group.length}): ${percent(mean(group.map((row) => (scoreOf(model, row) >= model.threshold ? 1 : 0))))} accepted`
    )
}
const all = fitted(rows)
console.log("\nall sets:", percent(sharePassed(all, rows, true)), percent(sharePassed(all, rows, false)))
for (const [at, name] of claimFeatureNames.entries()) console.log(name, (all.weights[at] ?? 0).toFixed(3))
console.log("intercept", all.intercept.toFixed(3), "threshold", all.threshold)
if (process.argv.includes("--write"))
  writeFileSync(
    new URL("../core/answers/grounding/claim-weights.ts", import.meta.url),
    `/** Weights of the claim check, made by tools/train-claim-check.ts; docs/answers-quality.md has the figures. */
export const claimWeights = ${JSON.stringify(
      {
        seed,
        sets,
        statements: rows.length,
        threshold: all.threshold,
        intercept: Number(all.intercept.toFixed(4)),
        weights: Object.fromEntries(
          claimFeatureNames.map((name, at) => [name, Number((all.weights[at] ?? 0).toFixed(4))])
        )
      },
      null,
      2
    ).replace(/"([a-zA-Z]+)":/g, "$1:")}\n`
  )
