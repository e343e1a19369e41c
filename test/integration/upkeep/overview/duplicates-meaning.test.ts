import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { extractGraph } from "../../../../core/knowledge/extraction/index.js"
import { operations } from "../../../../core/operations.js"
import { Caller, runOperation } from "../../../../core/platform/kernel/index.js"
import { refreshVectors } from "../../../../core/search/vectors/index.js"
import { baselineSimilarity, meaningReason } from "../../../../core/upkeep/overview/similarity.js"
import { startServer } from "../../../support/server.js"

const dimensions = 3
const anyVector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimensions, maxLength: dimensions })
  .map((values) => Float32Array.from(values))
const anyPassages = fc.array(fc.record({ label: fc.nat(9), vector: anyVector }), { maxLength: 6 })

describe("closeness of what is written of two entities", () => {
  it("is the same both ways, and no certainty", () => {
    fc.assert(
      fc.property(anyPassages, anyPassages, fc.double({ min: -0.2, max: 1, noNaN: true }), (a, b, usual) => {
        const [there, back] = [meaningReason(a, b, usual), meaningReason(b, a, usual)]
        expect(there?.strength ?? 0).toBeCloseTo(back?.strength ?? 0, 6)
        if (there !== null) {
          expect(there.strength).toBeGreaterThan(0)
          expect(there.strength).toBeLessThanOrEqual(0.4)
        }
      })
    )
  })

  it("is told from what is usual: the mean cosine over all pairs", () => {
    const cosine = (a: Float32Array, b: Float32Array) => {
      const [dot, x, y] = [0, 1, 2].reduce<readonly [number, number, number]>(
        ([sum, left, right], at) => {
          const [one, other] = [a[at] ?? 0, b[at] ?? 0]
          return [sum + one * other, left + one * one, right + other * other]
        },
        [0, 0, 0]
      )
      return dot / Math.sqrt(x * y)
    }
    const real = anyVector.filter((vector) => vector.some((value) => Math.abs(value) > 0.01))
    fc.assert(
      fc.property(fc.array(real, { minLength: 8, maxLength: 20 }), (sample) => {
        const pairs = sample.flatMap((a, i) => sample.slice(0, i).map((b) => cosine(a, b)))
        const mean = pairs.reduce((sum, one) => sum + one, 0) / pairs.length
        expect(baselineSimilarity(sample)).toBeCloseTo(mean, 4)
      })
    )
    expect(baselineSimilarity([])).toBeNull()
  })

  it("leaves out passages that mention both", () => {
    const east = Float32Array.from([1, 0, 0])
    const [shared, own, other] = [1, 2, 3].map((label) => ({ label, vector: east }))
    if (shared === undefined || own === undefined || other === undefined) throw new RangeError("three")
    expect(meaningReason([shared], [shared], 0)).toBeNull()
    expect(meaningReason([shared, own], [shared], 0)).toBeNull()
    expect(meaningReason([shared, own], [shared, other], 0)?.strength).toBeCloseTo(0.2, 6)
    expect(meaningReason([own], [{ label: 3, vector: Float32Array.from([0, 1, 0]) }], 0)).toBeNull()
  })
})

const topics = {
  sea: "harbour tide vessel anchor mooring quay sailor storm wave ballast",
  bread: "flour oven yeast dough crust baker kneading loaf salt rye"
}

it("lifts two likely names of which the same is written, and leaves two of which it is not", async () => {
  const server = await startServer()
  const workspace = await server.workspace("meaning")
  const run = <A, E>(work: Parameters<typeof server.as<A, E>>[1]) => server.as<A, E>(workspace, work)
  const write = (place: number, topic: keyof typeof topics, name: string) => {
    const words = topics[topic].split(" ")
    const said = Array.from({ length: 6 }, (_, turn) => {
      const at = (step: number) => words[(place + turn * 3 + step) % words.length]
      return `The ${at(0)} and the ${at(1)} are near the ${at(2)}, says ${name} of the ${at(3)}.`
    })
    const content = `# Note ${place}\n\n${said.join(" ")}\n`
    return run(runOperation(operations.createDocument, { path: `note-${place}.md`, content }))
  }
  const make = (name: string) => run(runOperation(operations.createEntity, { name, type: "thing" }))
  const names = [
    "the Heron north gauge",
    "the Heron north dial",
    "the Lantern south gauge",
    "the Lantern south dial"
  ] as const
  for (const name of names) await make(name.slice("the ".length))
  const [heronGauge, heronDial, lanternGauge, lanternDial] = names
  for (let place = 0; place < 72; place += 4) {
    await write(place, "sea", heronGauge)
    await write(place + 1, "sea", heronDial)
    await write(place + 2, "sea", lanternGauge)
    await write(place + 3, "bread", lanternDial)
  }
  await run(
    Effect.flatMap(Caller, ({ workspace: scope }) =>
      Effect.zipRight(extractGraph(scope), refreshVectors(scope))
    )
  )
  const { items } = await run(runOperation(operations.listDuplicates, { minScore: 0.1, limit: 200 }))
  const between = (one: string, other: string) =>
    items.find(
      ({ duplicate, head }) => [head.name, duplicate.name].sort().join() === [one, other].sort().join()
    )
  const heron = between("Heron north gauge", "Heron north dial")
  const lantern = between("Lantern south gauge", "Lantern south dial")
  expect(heron?.reasons.map(({ code }) => code).sort()).toEqual(["meaning", "words"])
  expect(heron?.reasons.find(({ code }) => code === "meaning")?.detail).toMatch(
    /^What is written of both is alike: (0\.\d\d|1\.00), where/
  )
  expect(lantern?.reasons.map(({ code }) => code) ?? []).not.toContain("meaning")
  expect(heron?.score ?? 0).toBeGreaterThan(lantern?.score ?? 0)
  await server.close()
})
