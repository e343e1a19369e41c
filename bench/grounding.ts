import { writeFileSync } from "node:fs"
import { makeEvidence } from "../core/answers/evidence/index.js"
import { type ClaimCheck, checkClaim } from "../core/answers/grounding/index.js"
import { builtInCalibration } from "../core/answers/policy/index.js"
import type { Passage } from "../core/files/documents/index.js"
import { chunkDocument } from "../core/files/markdown/chunk.js"
import { parseFrontMatter } from "../core/files/markdown/front-matter.js"
import { parseMarkdown } from "../core/files/markdown/parse-markdown.js"
import { readQuestion } from "../core/language/questions/index.js"
import { textUnits } from "../core/language/text-analysis/units.js"
import { analyse } from "../core/language/tokenization/index.js"
import { ChunkId, DocumentId } from "../core/platform/kernel/index.js"
import { Settings } from "../core/platform/workspace/index.js"
import { claimsOfKinds, type KindClaim, type SetQuestion } from "./claim-kinds.js"
import type { ClaimLanguage } from "./claim-synonyms.js"
import { readAnswered, readCorpus } from "./data.js"
import { planted, plantedFindings } from "./planted-conflicts.js"
import { shuffled } from "./random.js"
import type { BenchContext, RunBench } from "./result.js"

const perKindBySize = { small: 8, default: 25, full: 140 } as const

/** A collection that claims are made of. */
interface ClaimSet {
  readonly folder: string
  readonly language: ClaimLanguage
  /** Weights of the check were fitted on it (tools/train-claim-check.ts); the others are left out. */
  readonly isFitted: boolean
}

const sets: ReadonlyArray<ClaimSet> = [
  { folder: "squad2-dev-8", language: "en", isFitted: true },
  { folder: "xquad-dev-en", language: "en", isFitted: true },
  { folder: "clapnq-dev", language: "en", isFitted: true },
  { folder: "eips", language: "en", isFitted: true },
  { folder: "mtragun-dev", language: "en", isFitted: false },
  { folder: "dbpedia-entity-5k", language: "en", isFitted: false },
  { folder: "foam-docs", language: "en", isFitted: false },
  { folder: "xquad-dev-de", language: "de", isFitted: true },
  { folder: "xquad-dev-es", language: "es", isFitted: true }
]

/** Documents of a set that are read: no more are needed for the claims, and idf changes little. */
const documentsMax = 400

/**
 * What the built-in verifier says of true and false claims of many kinds, made by seeded rules of several collections
 * (`claim-kinds.ts`). `KANON_BENCH_CLAIMS` names a file for every claim with its verdict; `KANON_BENCH_SETS` the sets.
 */
export const grounding: RunBench = async (context) => {
  const chosen = process.env["KANON_BENCH_SETS"]?.split(",")
  const judged: Array<JudgedClaim> = []
  for (const set of sets) {
    if (chosen?.includes(set.folder) === false) continue
    const passages = passagesOf(set.folder, context.seed)
    if (passages === null) context.skip(`The folder ${set.folder} is not there: see docs/benchmarks.md.`)
    else judged.push(...judge(context, set, passages))
  }
  reportKinds(context, judged)
  reportCost(context)
  conflicts(context)
}

/** Whether planted contradictions are found, and how much else is taken for one. */
const conflicts = ({ report, say }: BenchContext): void => {
  const [of, decoys] = [planted.conflicts.map(plantedFindings), planted.decoys.map(plantedFindings)]
  const found = of.filter(({ isFound }) => isFound).length
  for (const [at, { isFound }] of of.entries())
    if (!isFound) say(`missed: ${planted.conflicts[at]?.question}`)
  const wrong = [...of, ...decoys].reduce((sum, { others }) => sum + others.length, 0)
  const share = (metric: string, ours: number, floor: number, peer: string, target?: string) =>
    report({
      metric,
      ours,
      floor,
      n: floor,
      unit: "conflicts",
      peer,
      collection: "demonstration vault",
      ...(target === undefined ? {} : { target })
    })
  share("conflicts found", found, of.length, "planted")
  share("conflicts that are none", wrong, found + wrong, "shown")
  share("conflicts that are some", found, found + wrong, "shown", ">= 0.9")
  share("decoys let be", decoys.filter(({ all }) => all.length === 0).length, decoys.length, "decoys")
}

const passagesOf = (folder: string, seed: number): ReadonlyArray<Passage> | null => {
  const corpus = readCorpus(folder)
  if (corpus === null) return null
  const { chunking } = Settings.parse({})
  let label = 0
  return shuffled(corpus, seed)
    .slice(0, documentsMax)
    .flatMap(({ id, text, title }, at) =>
      chunkDocument(parseMarkdown(text, parseFrontMatter(text).bodyStart), chunking).map(
        (chunk, ordinal): Passage => {
          label += 1
          return {
            id: ChunkId.parse(`chk_${label.toString().padStart(26, "0")}`),
            documentId: DocumentId.parse(`doc_${at.toString().padStart(26, "0")}`),
            label,
            ordinal,
            headingPath: chunk.headingPath,
            text: chunk.text,
            start: chunk.start,
            end: chunk.end,
            docTitle: title,
            docPath: id,
            docVerification: "unverified",
            docUpdatedAt: "2026-01-01T00:00:00.000Z"
          }
        }
      )
    )
}

/** A claim with what the verifier said of it. */
interface JudgedClaim extends KindClaim {
  readonly set: ClaimSet
  readonly check: ClaimCheck
  /** Support of the true claim that a false one was made of, where that is supported. */
  readonly truthSupport?: number
}

const judge = (
  { seed, size }: BenchContext,
  set: ClaimSet,
  passages: ReadonlyArray<Passage>
): ReadonlyArray<JudgedClaim> => {
  const idf = idfOf(passages)
  const check = (text: string, passage: Passage): ClaimCheck =>
    checkClaim(
      { text, citations: ["S1"] },
      makeEvidence({ question: readQuestion(text, analyse), passages: [passage], idf, analyse })
    )
  const claims = claimsOfKinds(
    { language: set.language, passages, questions: questionsOf(set.folder, passages, seed) },
    perKindBySize[size],
    seed
  )
  return claims.map((claim) => {
    const truth = claim.truth === undefined ? undefined : check(claim.truth, claim.passage)
    return {
      ...claim,
      set,
      check: check(claim.text, claim.passage),
      ...(truth?.supported === true ? { truthSupport: truth.support } : {})
    }
  })
}

/** The answerable questions of a set, each with the passage that holds its answer; none of a set without answers. */
const questionsOf = (
  folder: string,
  passages: ReadonlyArray<Passage>,
  seed: number
): ReadonlyArray<SetQuestion> => {
  if (!hasAnswers(folder)) return []
  const byPath = new Map<string, Array<Passage>>()
  for (const passage of passages)
    byPath.set(passage.docPath, [...(byPath.get(passage.docPath) ?? []), passage])
  return shuffled(readAnswered(folder), seed).flatMap(({ answer, paragraph, question }) => {
    const own = byPath.get(paragraph) ?? []
    const passage = own.find(({ text }) => text.includes(answer)) ?? own[0]
    return passage === undefined ? [] : [{ text: question, answer, passage, isLong: folder === "clapnq-dev" }]
  })
}

const hasAnswers = (folder: string): boolean => /^(?:squad|xquad|clapnq)/u.test(folder)

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

const statuses = ["supported", "partly", "unsupported", "contradicted"] as const

const shareOf = (claims: ReadonlyArray<JudgedClaim>, test: (claim: JudgedClaim) => boolean): number =>
  claims.length === 0 ? 0 : claims.filter(test).length / claims.length

const percent = (share: number): string => `${Math.round(100 * share)}`

/** Largest share of false claims, and least of true ones, that may be called supported; none is set for the others. */
const targets: ReadonlyMap<string, string> = new Map([
  ["one word exchanged", "<= 0.02"],
  ["near word", "<= 0.02"],
  ["word in a human answer", "<= 0.02"],
  ["word of the same paragraph", "<= 0.06"],
  ["word in question and answer", "<= 0.2"],
  ["nouns swapped", "<= 0.01"],
  ["roles swapped", "<= 0.01"],
  ["sign", "<= 0.02"],
  ["rate", "<= 0.02"],
  ["version", "<= 0.02"],
  ["time of day", "<= 0.02"],
  ["as written", ">= 0.99"],
  ["shortened", ">= 0.98"],
  ["passive", ">= 0.99"],
  ["values in other units", ">= 0.98"],
  ["one synonym", ">= 0.7"],
  ["long human answer", ">= 0.78"]
])

const languageTargets: ReadonlyMap<string, string> = new Map([
  ["one word exchanged", "<= 0.03"],
  ["as written", ">= 0.98"]
])

/** Prints a table of all kinds, the worst first, and reports the share of each kind that is supported. */
const reportKinds = ({ report, say }: BenchContext, judged: ReadonlyArray<JudgedClaim>): void => {
  writeClaims(judged)
  const groups: ReadonlyArray<readonly [string, ReadonlyArray<JudgedClaim>]> = [
    ["English, fitted sets", judged.filter(({ set }) => set.language === "en" && set.isFitted)],
    ["English, sets left out", judged.filter(({ set }) => set.language === "en" && !set.isFitted)],
    ["German", judged.filter(({ set }) => set.language === "de")],
    ["Spanish", judged.filter(({ set }) => set.language === "es")]
  ]
  for (const isTrue of [false, true]) {
    const kinds = [...new Set(judged.filter((one) => one.isTrue === isTrue).map(({ kind }) => kind))]
    const rows = kinds.map((kind) => {
      const own = judged.filter((one) => one.kind === kind && one.isTrue === isTrue)
      return { kind, supported: shareOf(own, ({ check }) => check.supported) }
    })
    const sorted = rows.sort((a, b) => (isTrue ? a.supported - b.supported : b.supported - a.supported))
    for (const { kind } of sorted)
      for (const [name, of] of groups) {
        const own = of.filter((one) => one.kind === kind && one.isTrue === isTrue)
        if (own.length === 0) continue
        const target = (name.startsWith("English") ? targets : languageTargets).get(kind)
        report({
          metric: `${isTrue ? "true" : "false"}: ${kind}`,
          ours: own.filter(({ check }) => check.supported).length,
          floor: own.length,
          n: own.length,
          unit: "claims supported",
          peer: "claims",
          collection: name,
          ...(target === undefined ? {} : { target })
        })
      }
    const folders = [...new Set(judged.map(({ set }) => set))]
    say(
      `| ${isTrue ? "True" : "False"} claims: supported / partly / unsupported / contradicted, % | ${folders.map(({ folder, isFitted }) => `${folder}${isFitted ? "" : " (left out)"}`).join(" | ")} |`
    )
    say(`|${"---|".repeat(folders.length + 1)}`)
    for (const { kind } of sorted)
      say(
        `| ${kind} | ${folders
          .map((set) => {
            const own = judged.filter((one) => one.kind === kind && one.isTrue === isTrue && one.set === set)
            const shares = statuses.map((status) =>
              percent(shareOf(own, ({ check }) => check.status === status))
            )
            return own.length === 0 ? "" : `${shares.join(" / ")} (${own.length})`
          })
          .join(" | ")} |`
      )
  }
  const pairs = judged.filter(({ isTrue, truthSupport }) => !isTrue && truthSupport !== undefined)
  for (const [name, of] of groups) {
    const own = pairs.filter((one) => of.includes(one))
    if (own.length === 0) continue
    report({
      metric: "confidence in a lie below that in its truth",
      ours: own.filter(({ check }) => confidenceIn(check.supported) < confidenceIn(true)).length,
      floor: own.length,
      n: own.length,
      unit: "pairs",
      peer: "pairs",
      collection: name,
      target: ">= 0.9"
    })
  }
  report({
    metric: "support of a false claim below that of its true one",
    ours: pairs.filter(({ check, truthSupport = 0 }) => check.support < truthSupport).length,
    floor: pairs.length,
    n: pairs.length,
    unit: "pairs",
    peer: "pairs",
    target: ">= 0.9"
  })
}

/** Published confidence of a reply of one claim by the shipped calibration, all else being equal. */
const confidenceIn = (isSupported: boolean): number =>
  builtInCalibration.confidence({ verifiedShare: isSupported ? 1 : 0 })

const writeClaims = (judged: ReadonlyArray<JudgedClaim>): void => {
  const file = process.env["KANON_BENCH_CLAIMS"]
  if (file === undefined) return
  const lines = judged.map(({ check, isTrue, kind, passage, set, text, truth }) =>
    JSON.stringify({ set: set.folder, kind, isTrue, text, truth, ...check, passage: passage.text })
  )
  writeFileSync(file, `${lines.join("\n")}\n`)
}

/** CPU time of checking a claim against a passage, over that of reading the passage, which every answer needs. */
const reportCost = ({ report, seed }: BenchContext): void => {
  const passages = passagesOf("squad2-dev-8", seed)?.slice(0, 60)
  if (passages === undefined) return
  const idf = idfOf(passages)
  const cpuOf = (run: () => void): number => {
    const before = process.cpuUsage()
    run()
    const { system, user } = process.cpuUsage(before)
    return (system + user) / 1000
  }
  let [check, read, claims] = [0, 0, 0]
  for (const passage of passages) {
    const units = textUnits(passage.text).filter(({ kind }) => kind === "sentence")
    const evidence = makeEvidence({ question: readQuestion("", analyse), passages: [passage], idf, analyse })
    // A copy, so that nothing of the evidence above is remembered.
    read += cpuOf(() => {
      for (const unit of textUnits(passage.text)) analyse(unit.text)
    })
    for (const { text } of units) {
      const claim = { text: text.replace(/\w+(?=\W*$)/u, "altogether"), citations: ["S1"] }
      check += cpuOf(() => checkClaim(claim, evidence))
      claims += 1
    }
  }
  report({
    metric: "CPU of a claim beside its passage",
    ours: check / claims,
    floor: read / passages.length,
    n: claims,
    unit: "ms",
    peer: "splitting and analysing the passage"
  })
}
