/** Metrics of the tables; the first one decides the groups. */
export const metrics = ["ndcg@10", "ap", "rr", "recall@100", "p@10", "judged@10"]

/** Documents of each ranking. */
export const depth = 100

/** The grid of a bench as it is given: lists separated by commas. */
export interface Grid {
  readonly chunkChars: string
  readonly stemming: string
  readonly embedder: string
  readonly channels: string
  readonly rrfK: string
  readonly vectorWeight: string
  readonly demotion: string
  readonly rerank: string
}

/** Settings that make an index of its own. */
export interface IndexSettings {
  readonly chunkChars: number
  readonly stemming: boolean
  /** `auto`, `built-in`, or the name of a model. */
  readonly embedder: string
}

/** A run over an index: its name, and the options of an evaluation. */
export interface GridRun {
  readonly name: string
  readonly options: object
}

export const listOf = (text: string): ReadonlyArray<string> => text.split(",").filter((part) => part !== "")

const hasVectors = (channels: string): boolean => channels.split("+").includes("vector")

/** Every index of the grid with the runs over it. Runs over words alone are made once, not for each embedder. */
export const gridOf = (
  grid: Grid
): ReadonlyArray<{
  readonly index: IndexSettings
  readonly vectors: boolean
  readonly runs: ReadonlyArray<GridRun>
}> =>
  listOf(grid.chunkChars).flatMap((chars) =>
    listOf(grid.stemming).flatMap((stemming) => {
      const all = listOf(grid.channels)
      const embedders = all.some(hasVectors) ? listOf(grid.embedder) : ["auto"]
      return embedders.map((embedder, at) => {
        const index = { chunkChars: Number(chars), stemming: stemming !== "no", embedder }
        const channels = at === 0 ? all : all.filter(hasVectors)
        return { index, vectors: channels.some(hasVectors), runs: runsOf(grid, index, channels) }
      })
    })
  )

const runsOf = (
  grid: Grid,
  { chunkChars, embedder, stemming }: IndexSettings,
  all: ReadonlyArray<string>
): ReadonlyArray<GridRun> => {
  // Run names leave out the parameters that are the same in every run of the grid.
  const varies = (list: string) => listOf(list).length > 1
  return all.flatMap((channels) =>
    listOf(grid.rrfK).flatMap((k, kAt) =>
      listOf(grid.vectorWeight).flatMap((weight, weightAt) =>
        listOf(grid.demotion).flatMap((demotion) =>
          listOf(grid.rerank).flatMap((rerank): ReadonlyArray<GridRun> => {
            const isFused = channels.includes("+")
            // A list that is not fused has neither a constant nor a weight.
            if (!isFused && kAt + weightAt > 0) return []
            return [
              {
                name: [
                  channels.replace("+", "-"),
                  ...(isFused ? [`k${k}`, ...(weight === "auto" ? [] : [`w${weight}`])] : []),
                  ...(demotion === "no" ? ["no-demotion"] : []),
                  ...(rerank === "yes" ? ["rerank"] : []),
                  ...(varies(grid.chunkChars) ? [`c${chunkChars}`] : []),
                  ...(stemming ? [] : ["no-stemming"]),
                  ...(hasVectors(channels) && varies(grid.embedder) ? [fileName(embedder)] : [])
                ].join("-"),
                options: {
                  // Twice the depth, so that ties at the border are settled by the ids of the collection.
                  depth: 2 * depth,
                  channels: channels.split("+"),
                  rrfK: Number(k),
                  ...(weight === "auto" ? {} : { weights: { vector: Number(weight) } }),
                  demotion: demotion !== "no",
                  rerank: rerank === "yes"
                }
              }
            ]
          })
        )
      )
    )
  )
}

/** Names of models hold slashes and colons, file names may not. */
const fileName = (model: string): string => model.replace(/[^\w.-]+/gu, "_")
