import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { documentOperations } from "../core/files/documents/index.js"
import { graphOperations } from "../core/knowledge/graph/index.js"
import { EntityId, runOperation } from "../core/platform/kernel/index.js"
import { mergeSegments } from "../core/search/lexical/index.js"
import { retrievalOperations } from "../core/search/retrieval/index.js"
import { openBare } from "./bare.js"
import { countTypes, entityRow, idOf } from "./graph-data.js"
import { costOf } from "./measure.js"
import type { Notes } from "./notes.js"
import { fts5 } from "./peers/fts5.js"
import { plainBm25 } from "./peers/plain-bm25.js"
import { randomFrom } from "./random.js"
import { addTo, openWorkspace } from "./workspace.js"

const limit = 10
const rowsPerCommit = 1000
/** The lists of the 40-line BM25 are plain arrays: beyond this they no longer fit into a default heap. */
const bm25NotesMax = 200_000
/** Entities for each note, and edges from each entity. The corpora of the benches have 1.4 for each document. */
const entityShare = 1
const edgesEach = 3
const entitiesPerCommit = 500

/** Operations measured at one size; each returns milliseconds of CPU time. */
export interface Site {
  readonly size: number
  /** Notes a second of CPU time while it was filled. */
  readonly ingest: number
  readonly search: (query: string) => Promise<number>
  readonly read: () => Promise<number>
  readonly neighbourhood: () => Promise<number>
  /** Entities of the neighbourhoods so far, each. */
  readonly shown: ReadonlyArray<number>
  readonly create: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Searches of the floors at one size; each returns milliseconds of CPU time. */
export interface Floors {
  readonly fts5: (query: string) => Promise<number>
  readonly bm25: ((query: string) => Promise<number>) | null
  readonly close: () => void
}

/** The floors over so many notes. */
export const openFloors = (notes: Notes, size: number, folder: string): Floors => {
  const floor = fts5(oneByOne(notes, size), join(folder, `floor-${size}.sqlite`))
  const bm25 = size <= bm25NotesMax ? plainBm25(rows(notes, 0, size)) : null
  return {
    fts5: (query) => cpuOf(() => floor.read(floor.search(query, limit).map(({ row }) => row))),
    bm25: bm25 === null ? null : (query) => cpuOf(() => bm25(query, limit)),
    close: floor.close
  }
}

const cpuOf = async (work: () => unknown): Promise<number> => (await costOf(work)).cpuMs

/** A workspace of so many notes, with a graph. */
export const openSite = async (notes: Notes, size: number, seed: number, folder: string): Promise<Site> => {
  const [vault, data] = [join(folder, `vault-${size}`), join(folder, `data-${size}`)]
  mkdirSync(vault)
  mkdirSync(data)
  const workspace = await openWorkspace({ vault, data })
  const filled = await costOf(async () => {
    for (let held = 0; held < size; held += rowsPerCommit) {
      const batch = rows(notes, held, Math.min(rowsPerCommit, size - held))
      await addTo(workspace, batch, held, rowsPerCommit)
      await workspace.run(mergeSegments(workspace.scope))
    }
  })
  const place = { data, scope: workspace.scope }
  const entities = await growGraph(place, Math.max(20, Math.round(size * entityShare)), seed)
  const random = randomFrom(seed * 7919 + size)
  const pick = (values: ReadonlyArray<string>): string => values[Math.floor(random() * values.length)] ?? ""
  const stored = workspace.run
  const { items } = await stored(runOperation(documentOperations.listDocuments, { limit: 200 }))
  const ids = items.map(({ id }) => id)
  const shown: Array<number> = []
  let created = 0
  return {
    size,
    ingest: (size / filled.cpuMs) * 1000,
    search: (q) => cpuOf(() => stored(runOperation(retrievalOperations.search, { q, limit }))),
    read: () => {
      const id = pick(ids)
      return cpuOf(() => stored(runOperation(documentOperations.getDocument, { id })))
    },
    neighbourhood: () => {
      const around = { id: pick(entities), depth: 2 }
      return cpuOf(async () => {
        shown.push((await stored(runOperation(graphOperations.getNeighborhood, around))).nodes.length)
      })
    },
    shown,
    create: () => {
      const note = { path: `new/${created}.md`, content: `# Note ${created}\n\nText.\n` }
      created += 1
      return cpuOf(() => stored(runOperation(documentOperations.createDocument, note)))
    },
    close: workspace.close
  }
}

const rows = (notes: Notes, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => notes.at(from + i))

/** The same, none kept: a million of them are gigabytes that whatever is measured afterwards would lie between. */
function* oneByOne(notes: Notes, count: number) {
  for (let place = 0; place < count; place++) yield notes.at(place)
}

/** Puts entities and edges between them into the tables, early entities more often at an end than late ones. */
const growGraph = async (
  { data, scope }: { readonly data: string; readonly scope: string },
  count: number,
  seed: number
): Promise<ReadonlyArray<EntityId>> => {
  const database = await openBare(data)
  const random = randomFrom(seed * 104_729)
  for (let first = 0; first < count; first += entitiesPerCommit) {
    const upTo = Math.min(first + entitiesPerCommit, count)
    const nodes = Array.from({ length: upTo - first }, (_, i) => first + i)
    await database.insert(
      "entity",
      nodes.map((node) => entityRow(scope, node))
    )
    // To any that are there by then; what a number stands for twice is one edge.
    const ends = nodes.flatMap((from) =>
      [...new Set(Array.from({ length: edgesEach }, () => Math.floor(random() ** 2 * upTo)))].flatMap((to) =>
        to === from ? [] : [[from, to] as const]
      )
    )
    await database.insert(
      "edge",
      ends.map(([from, to], i) => ({
        workspace_id: scope,
        src_id: idOf(from),
        type: `kind-${i % 5}`,
        dst_id: idOf(to),
        mention_count: 1
      }))
    )
  }
  await countTypes(database, scope)
  await database.close()
  return Array.from({ length: count }, (_, node) => EntityId.parse(idOf(node)))
}
