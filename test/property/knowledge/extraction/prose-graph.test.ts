import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { extractGraph, readAgain } from "../../../../core/knowledge/extraction/index.js"
import { atomically, Ids } from "../../../../core/platform/kernel/index.js"
import { graphPicture } from "../../../support/graph-picture.js"
import { graphLayer, MemoryVault } from "../../../support/graph-vault.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const sentence = fc.constantFrom(
  "Norrland Energy AB acquired Fjordkraft Systems.",
  "Norrland Energy did not acquire Voltmark GmbH.",
  "Anna Lindqvist is the chief executive of Norrland Energy AB.",
  "Lindqvist reports to Erik Holm, chairman of Norrland Energy.",
  "Erik Holm was born in Bergen.",
  "Karin Lindqvist works for Voltmark GmbH.",
  "Voltmark GmbH supplies Norrland Energy with parts.",
  "The World Health Organization (WHO) is based in Geneva.",
  "Nothing of note happened."
)
const texts = fc.array(
  fc.array(sentence, { minLength: 1, maxLength: 4 }).map((body) => `# Note\n\n${body.join(" ")}\n`),
  { minLength: 1, maxLength: 4 }
)

/** The graph of files that were created in this order. */
const graphOf = (
  files: ReadonlyArray<readonly [path: string, text: string]>,
  gone: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const [vault, workspace] = [new MemoryVault(yield* Ids), yield* makeWorkspace()]
    const within = Effect.provide(vault.layer)
    const ids = files.map(([path, text]) => [path, vault.create(path, text)] as const)
    yield* within(extractGraph(workspace))
    for (const [path, id] of ids) if (gone.includes(path)) vault.remove(id)
    yield* within(extractGraph(workspace))
    const picture = yield* within(graphPicture(workspace))
    yield* within(atomically(readAgain(workspace, "all")))
    yield* within(extractGraph(workspace))
    expect(yield* within(graphPicture(workspace))).toEqual(picture)
    return picture
  })

describe("the graph of prose", () => {
  it("is the same when read twice and in another order, and loses what only a removed document said", () =>
    fc.assert(
      fc.asyncProperty(texts, (bodies) =>
        runEffect(
          Effect.gen(function* () {
            const files = bodies.map((text, at) => [`${at}.md`, text] as const)
            const picture = yield* graphOf(files)
            expect(yield* graphOf([...files].reverse())).toEqual(picture)
            const rest = yield* graphOf(files.slice(1))
            expect(yield* graphOf(files, ["0.md"])).toEqual(rest)
          }).pipe(Effect.provide(graphLayer()), Effect.orDie)
        )
      ),
      { numRuns: runs(8) }
    ))
})
