import { afterEach, describe, expect, it } from "vitest"
import { analyse, setStemming } from "../../../core/language/tokenization/index.js"
import { gridOf } from "../../../server/cli/bench-grid.js"

const usual = {
  chunkChars: "1500",
  stemming: "yes",
  embedder: "auto",
  channels: "fts,fts+vector",
  rrfK: "60",
  vectorWeight: "auto",
  demotion: "yes",
  rerank: "no"
}

describe("the grid of a bench", () => {
  afterEach(() => setStemming(true))

  it("makes an index for each passage size, stemming and embedder, and every run once", () => {
    const grid = gridOf({
      ...usual,
      chunkChars: "400,1500",
      stemming: "yes,no",
      embedder: "built-in,org/model:v1",
      rrfK: "20,60"
    })
    expect(grid.map(({ index }) => Object.values(index).join(" "))).toEqual(
      ["400 true", "400 false", "1500 true", "1500 false"].flatMap((one) => [
        `${one} built-in`,
        `${one} org/model:v1`
      ])
    )
    const names = grid.flatMap(({ runs }) => runs.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
    // Words alone: four indexes, neither for both embedders nor for both constants.
    expect(names.filter((name) => name.startsWith("fts-c"))).toHaveLength(4)
    expect(names).toContain("fts-vector-k20-c400-no-stemming-org_model_v1")
  })

  it("needs no embedder where nothing is searched by vectors, and names runs as short as it can", () => {
    const grid = gridOf({ ...usual, channels: "fts", embedder: "a,b" })
    expect(grid).toMatchObject([{ vectors: false, runs: [{ name: "fts" }] }])
  })

  it("has words as they are written where stemming is off", () => {
    const terms = () => analyse("Herons were nesting").map(({ term }) => term)
    const stemmed = terms()
    setStemming(false)
    expect(terms()).toEqual(["herons", "nesting"])
    setStemming(true)
    expect(terms()).toEqual(stemmed)
    expect(stemmed).not.toEqual(["herons", "nesting"])
  })
})
