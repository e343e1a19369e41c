import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { longTextsIn } from "../../../../adapters/host/long-texts.js"
import { checkStatements, LongClaims, type TextToCheck } from "../../../../core/answers/answering/index.js"
import { bundled } from "../../../support/bundled.js"
import { passageOf } from "../../../support/passages.js"
import { runEffect } from "../../../support/run.js"

const notes = [
  passageOf({
    title: "Cranes",
    path: "cranes.md",
    text: "The harbour crane lifts 42 tonnes. It stands at the north quay."
  }),
  passageOf({ title: "Quay", path: "quay.md", text: "The harbour crane lifts 40 tonnes." })
]
const statements = [
  "The harbour crane lifts 42 tonnes.",
  "The harbour crane lifts 90 tonnes.",
  "Penguins cannot fly."
]
const asked: TextToCheck = {
  text: statements.join(" "),
  statements,
  found: {
    passages: notes,
    candidates: statements.map(() => notes.map(({ label }) => label)),
    termWeights: new Map([["crane", 2]])
  },
  governance: {
    reviewDue: new Set(),
    versions: new Map(),
    entities: [],
    documents: new Map(),
    workspaceVerifies: false,
    workspaceCurates: false
  },
  thesaurus: {}
}

const checkedBy = (file: URL, claimsMs: number) =>
  runEffect(
    Effect.flatMap(LongClaims, ({ check }) => check(asked)).pipe(
      Effect.either,
      Effect.provide(longTextsIn(file, { claimsMs })),
      Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
    )
  )

describe("the statements of a long text", () => {
  it("are checked in a thread as in place, and refused where that takes too long", async ({
    onTestFinished
  }) => {
    const thread = await bundled("adapters/host/long-texts-main")
    onTestFinished(thread.drop)
    const here = await runEffect(checkStatements(asked))
    expect(here.checks.map(({ status }) => status)).toEqual(["supported", "contradicted", "unsupported"])
    expect(here.conflicts).toHaveLength(1)
    expect(await checkedBy(pathToFileURL(thread.file), 120_000)).toMatchObject({ right: here })
    expect(await checkedBy(new URL("file:///nowhere/long-texts-main.js"), 120_000)).toMatchObject({
      right: here
    })
    expect(await checkedBy(pathToFileURL(thread.file), 1)).toMatchObject({
      left: { _tag: "InvalidInput", issues: [{ path: ["text"], code: "too_complex" }] }
    })
  })
})
