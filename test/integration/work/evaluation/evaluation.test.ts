import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shippedCalibration } from "../../../../core/answers/calibration/index.js"
import { answerF1, exactMatch, isRightAnswer, readQuestions } from "../../../../core/work/evaluation/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

interface AnswerCase {
  readonly prediction: string
  readonly golds: ReadonlyArray<string>
  readonly em: number
  readonly f1: number
}

const golden: { readonly answers: ReadonlyArray<AnswerCase> } = JSON.parse(
  readFileSync(new URL("../../../fixtures/golden/calibration.json", import.meta.url), "utf8")
)

describe("judging answers", () => {
  it.each(golden.answers)("scores as computed: $prediction", ({ em, f1, golds, prediction }) => {
    expect(exactMatch(prediction, golds)).toBe(em)
    expect(answerF1(prediction, golds)).toBeCloseTo(f1, 9)
  })

  it("a claim that holds a gold answer as whole words is right, in whatever case", () => {
    expect(isRightAnswer(["The tower was built in 1889."], ["the year 1901", "1889"])).toBe(true)
    expect(isRightAnswer(["The tower has 18890 bolts."], ["1889"])).toBe(false)
    expect(isRightAnswer([], ["1889"])).toBe(false)
  })
})

describe("a file of questions", () => {
  it("is read whole, or every bad line is told by its number", () => {
    const good = '{"question":"A?","answers":["b"],"answerable":true}'
    const { problems, questions } = readQuestions(
      [good, "", "{", '{"question":"C?","answers":[],"answerable":true}', good, '{"answers":[]}'].join("\n")
    )
    expect(questions).toHaveLength(1)
    expect(problems.map(({ line }) => line)).toEqual([3, 4, 5, 6])
    expect(problems[2]?.message).toMatch(/line 1/)
  })

  it("never fails on any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => readQuestions(text).problems.length >= 0),
      { numRuns: runs(30) }
    )
  })
})

describe("calibrating a workspace", () => {
  const items = Array.from({ length: 44 }, (_, at) => ({
    name: `Kestrel${String.fromCharCode(65 + (at % 26))}${at}`,
    at
  }))
  const files = items.map(
    ({ at, name }) =>
      `# ${name}\n\nThe ${name} pump weighs ${100 + at} kg. Its colour is ${at % 2 === 0 ? "red" : "blue"}.\n`
  )
  /** The gold answer of every other one is another: its answer counts as wrong. */
  const questions = items.map(({ at, name }) => ({
    question: `How much does the ${name} pump weigh?`,
    answers: [`${(at % 2 === 0 ? 100 : 700) + at} kg`],
    answerable: true
  }))

  it("puts in use what it fitted, says so in the trail, and keeps it through an export", async () => {
    const vault = temporaryFolder("calibrate")
    for (const [at, text] of files.entries()) writeFileSync(join(vault, `${at}.md`), text)
    const engine = await createEngine({ vault, worker: false })
    await engine.ingest()
    const before = await engine.ask("How much does the KestrelA0 pump weigh?", { policyMode: "shadow" })
    expect(before.policy.calibrationVersion).toBe(shippedCalibration.version)
    let asked = 0
    const onProgress = () => {
      asked += 1
    }
    await expect(engine.evaluation.calibrate(questions.slice(0, 3), { onProgress })).rejects.toMatchObject({
      code: "invalid_body"
    })
    // A calibration that too few questions cannot support is refused before any question is asked.
    expect(asked).toBe(0)
    const { artefact, version } = await engine.evaluation.calibrate(questions)
    expect(artefact.fitted + artefact.calibrated).toBeLessThanOrEqual(questions.length)
    // They are nobody's questions: only the one that was asked before is in the log, and none may be given again.
    expect((await engine.decisions.list()).total).toBe(1)
    expect((await engine.cache.stats()).entries).toBeLessThanOrEqual(1)
    const after = await engine.ask("How much does the KestrelA0 pump weigh?", { policyMode: "enforce" })
    expect(after.policy.calibrationVersion).toBe(version)
    const lines: Array<string> = []
    for await (const line of engine.export()) lines.push(Buffer.from(line).toString())
    const records = lines.map((line) => JSON.parse(line))
    expect(records.filter(({ kind }) => kind === "calibration")).toEqual([
      expect.objectContaining({ version, active: true, artefact })
    ])
    expect(records.filter(({ action }) => action === "calibration.activate")).toHaveLength(1)
    await engine.close()
  })
})
