import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { afterAll, describe, expect, it } from "vitest"
import { workerLsaFitter } from "../../adapters/vectors/fit-worker.js"
import { fitArtefact, LsaFitter } from "../../core/search/vectors/index.js"
import { passage } from "../integration/search/vectors/vectors-corpus.js"
import { bundled } from "../support/bundled.js"
import { runEffect } from "../support/run.js"
import { lsaFitterContract } from "./lsa-fitter.js"

const thread = await bundled("adapters/vectors/fit-worker-main")
const worker = pathToFileURL(thread.file)
afterAll(() => thread.drop())

lsaFitterContract("in place", () => Layer.empty)
lsaFitterContract("a thread", () => workerLsaFitter(worker))

const texts = Array.from({ length: 60 }, (_, i) => passage(i))
const wanted = fitArtefact(texts)

/** Fits twice in threads from this file; tells also what was logged and whether timers ran in between. */
const fitted = async (file: URL, corpora: ReadonlyArray<ReadonlyArray<string>>) => {
  const said: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void said.push(String(message)))
  )
  let turns = 0
  const turning = setInterval(() => {
    turns += 1
  }, 1)
  const artefacts = await runEffect(
    Effect.flatMap(LsaFitter, (fitter) => Effect.forEach(corpora, (each) => fitter.fit(each))).pipe(
      Effect.provide(workerLsaFitter(file)),
      Effect.provide(logger)
    )
  )
  clearInterval(turning)
  return { artefacts, said, turns }
}

describe("the fitter in a thread", () => {
  it("gives the same bytes as in place, and the main loop turns meanwhile", async () => {
    const { artefacts, said, turns } = await fitted(worker, [texts, ["the", ""]])
    expect(said).toEqual([])
    expect(artefacts[0]).toEqual(wanted)
    expect(artefacts[1]).toBeNull()
    expect(turns).toBeGreaterThan(0)
  })

  it("fits in place and says so once where no thread starts", async () => {
    const { artefacts, said } = await fitted(new URL("file:///nowhere/fit-worker-main.js"), [texts, texts])
    expect(artefacts).toEqual([wanted, wanted])
    expect(said).toHaveLength(1)
  })
})
