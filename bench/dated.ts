import { createEngine, type Engine } from "../adapters/sqlite/index.js"
import { askedOn, type DatedQuestion, type DatedVault, datedVaults } from "./dated-vaults.js"
import type { RunBench } from "./result.js"
import { withFolder } from "./workspace.js"

type Outcome = "right" | "wrong" | "missed"

/** Asks about twelve vaults what held when, and about the present with their history and without it. */
export const dated: RunBench = async ({ report, say, seed, size }) => {
  const vaults = datedVaults(seed).filter((_, at) => size !== "small" || at % 6 === 0)
  for (const isHeldBack of [false, true]) {
    const outcomes: Array<{ readonly question: DatedQuestion; readonly outcome: Outcome }> = []
    const plain: Array<Outcome> = []
    for (const vault of vaults.filter((one) => one.isHeldBack === isHeldBack)) {
      const asked = await answersOf(vault.changes, vault.questions)
      for (const { question, outcome, text } of asked) {
        outcomes.push({ question, outcome })
        // What is held back is counted and not read.
        if (!isHeldBack && outcome !== "right")
          say(
            `${vault.name} ${question.kind} ${outcome}: ${question.question} ${question.asOf ?? ""} [${question.right.join()}]\n    ${text.slice(0, 240)}`
          )
      }
      const last = [...new Map(vault.changes.map((one) => [one.path, one])).values()]
      const present = vault.questions.filter(({ kind }) => kind === "present")
      for (const { outcome } of await answersOf(last, present)) plain.push(outcome)
    }
    const part = isHeldBack ? "held back" : "open"
    const share = (all: ReadonlyArray<Outcome>, wanted: Outcome): number =>
      all.length === 0 ? 0 : all.filter((one) => one === wanted).length / all.length
    const of = (isPresent: boolean): ReadonlyArray<Outcome> =>
      outcomes.flatMap(({ outcome, question }) =>
        (question.kind === "present") === isPresent ? [outcome] : []
      )
    const figure = (metric: string, ours: number, n: number, floor: number | null = null) =>
      report({
        metric: `${part}: ${metric}`,
        ours,
        n,
        floor,
        unit: "share",
        peer: floor === null ? "" : "without history"
      })
    figure("past, right", share(of(false), "right"), of(false).length)
    figure("present, right", share(of(true), "right"), of(true).length, share(plain, "right"))
    figure(
      "wrong",
      share(
        outcomes.map(({ outcome }) => outcome),
        "wrong"
      ),
      outcomes.length
    )
    const kinds = [...new Set(outcomes.map(({ question }) => question.kind))]
    for (const kind of kinds) {
      const some = outcomes.filter(({ question }) => question.kind === kind)
      const right = some.filter(({ outcome }) => outcome === "right").length
      const wrong = some.filter(({ outcome }) => outcome === "wrong").length
      say(`${part} | ${kind} | ${right} of ${some.length} right, ${wrong} wrong`)
    }
  }
}

const answersOf = (changes: DatedVault["changes"], questions: ReadonlyArray<DatedQuestion>) =>
  withFolder(async (vault) => {
    const clock = Date.now
    const setDay = (day: string) => {
      const [at, start] = [Date.parse(`${day}T09:00:00Z`), clock()]
      Date.now = () => at + clock() - start
    }
    let engine: Engine | null = null
    try {
      setDay("2025-01-01")
      engine = await createEngine({ vault, data: ":memory:", worker: false })
      const ids = new Map<string, string>()
      for (const { day, path, text } of [...changes].sort((a, b) => (a.day < b.day ? -1 : 1))) {
        setDay(day)
        const id = ids.get(path)
        if (id === undefined) ids.set(path, (await engine.documents.create({ path, content: text })).docId)
        else await engine.documents.replace(id, text)
      }
      setDay(askedOn)
      const asked = []
      for (const question of questions) {
        const { answer, claims } = await engine.ask(
          question.question,
          question.asOf === undefined ? {} : { asOf: question.asOf }
        )
        asked.push({
          question,
          outcome: judged(
            question,
            claims.map(({ text }) => text)
          ),
          text: answer
        })
      }
      return asked
    } finally {
      Date.now = clock
      await engine?.close()
    }
  })

/** Right with every value that was asked for and no statement of another; any other answer is wrong, and none is missed. */
const judged = ({ others, right }: DatedQuestion, claims: ReadonlyArray<string>): Outcome => {
  const has = (text: string, value: string): boolean =>
    new RegExp(`(?<![\\p{L}\\p{N}])${value}(?![\\p{L}\\p{N}])`, "u").test(text)
  if (claims.length === 0) return "missed"
  const isOther = (claim: string): boolean =>
    others.some((value) => has(claim, value)) && !right.some((value) => has(claim, value))
  if (claims.some(isOther)) return "wrong"
  return right.every((value) => claims.some((claim) => has(claim, value))) ? "right" : "wrong"
}
