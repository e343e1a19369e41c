import { mkdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { randomFrom } from "../../../../bench/random.js"
import { type BenchWorkspace, openWorkspace } from "../../../../bench/workspace.js"
import { skosText } from "../../../../core/knowledge/vocabulary/index.js"
import { operations } from "../../../../core/operations.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { isLong } from "../../../support/runs.js"

/** All of it in the long run; a fiftieth otherwise, with the same checks. */
const share = isLong ? 1 : 50
const entities = 50_000 / share
const relations = 1_000_000 / share
const mentions = 200_000 / share
const documents = 2_000 / share

const types = ["concept", "person", "place", "product"] as const
const lifecycles = ["published", "published", "published", "draft", "deprecated"] as const
const at = "2026-01-01T00:00:00.000Z"
const documentId = (place: number): string => `doc_${String(place).padStart(26, "0")}`
const typeOf = (node: number) => types[node % types.length] ?? "concept"
const lifecycleOf = (node: number) => lifecycles[node % lifecycles.length] ?? "published"
/** Everything but the first stands below something that came before it. */
const parentOf = (node: number): number => Math.floor((node - 1) / 9)

type Row = Readonly<Record<string, string | number>>

const idOf = (node: number): string => `ent_${String(node).padStart(26, "0")}`

/** An entity that is nothing but its name. */
const entityRow = (workspace: string, node: number): Row => {
  const id = idOf(node)
  const identity = { workspace_id: workspace, id, seq: node, name: id, name_norm: id, head_id: id }
  const rest = { origin: "manual", authority: "asserted", lifecycle: "draft", steward_ids: "[]", version: 1 }
  const lists = { person_fields: "[]", merged_ids: "[]" }
  return { ...identity, ...rest, ...lists, type: "concept" }
}

/** Puts rows into a table; a required column that a row does not name gets "" or 0. */
const insertRows = (database: Database.Database, table: string, rows: Iterable<Row>): void => {
  const columns = database
    .prepare<[], { name: string; type: string; notnull: number }>(
      `select name, type, "notnull" from pragma_table_info('${table}')`
    )
    .all()
  const statement = database.prepare<Array<string | number | null>>(
    `insert into ${table} (${columns.map(({ name }) => name).join()}) values (${columns.map(() => "?").join()})`
  )
  for (const row of rows)
    statement.run(
      ...columns.map(({ name, notnull, type }) => row[name] ?? (notnull ? (type === "text" ? "" : 0) : null))
    )
}

interface Edge {
  readonly src: number
  readonly type: "broader" | "related"
  readonly dst: number
}

/** A forest, and between its members links of which some are much linked to. No edge is there twice, in any direction. */
const edgesOf = (random: () => number): ReadonlyArray<Edge> => {
  const edges: Array<Edge> = []
  for (let node = 1; node < entities; node++) edges.push({ src: node, type: "broader", dst: parentOf(node) })
  const pairs = new Set<number>()
  while (edges.length < relations) {
    const [src, dst] = [Math.floor(random() * entities), Math.floor(random() ** 2 * entities)]
    const pair = Math.min(src, dst) * entities + Math.max(src, dst)
    if (src === dst || pairs.has(pair)) continue
    pairs.add(pair)
    edges.push({ src, type: "related", dst })
  }
  return edges
}

const random = randomFrom(7)
let edges: ReadonlyArray<Edge> = []
const mentioned = new Int32Array(entities)
let folder = ""
let workspace: BenchWorkspace

beforeAll(async () => {
  folder = temporaryFolder("size")
  const [vault, data] = [join(folder, "vault"), join(folder, "data")]
  mkdirSync(vault)
  mkdirSync(data)
  workspace = await openWorkspace({ vault, data })
  edges = edgesOf(random)
  fill(join(data, "kanon.sqlite"), workspace.scope)
})
afterAll(() => workspace.close())

/** Puts rows as extraction and people would have left them. */
const fill = (file: string, scope: string): void => {
  const database = new Database(file)
  database.pragma("foreign_keys = off")
  const own = { workspace_id: scope }
  database.transaction(() => {
    insertRows(database, "entity", entityRows(scope))
    insertRows(database, "document", documentRows(scope))
    insertRows(database, "id_number", numberRows(scope))
    insertRows(database, "mention", mentionRows(scope))
    const ends = ({ dst, src, type }: Edge) => ({ src_id: idOf(src), type, dst_id: idOf(dst) })
    insertRows(
      database,
      "relation",
      (function* () {
        for (const [place, edge] of edges.entries()) {
          const id = `rel_${String(place).padStart(26, "0")}`
          const heads = { src_head: idOf(edge.src), dst_head: idOf(edge.dst) }
          yield { ...own, id, ...ends(edge), ...heads, origin: "import", created_at: at }
        }
      })()
    )
    insertRows(
      database,
      "edge",
      (function* () {
        for (const edge of edges) yield { ...own, ...ends(edge), mention_count: 1 }
      })()
    )
    database.exec(`insert into edge_type (workspace_id, entity_id, type, mention_count)
      select workspace_id, entity_id, type, count(*) from (
        select workspace_id, src_id as entity_id, type from edge union all select workspace_id, dst_id, type from edge)
      group by 1, 2, 3`)
  })()
  database.close()
}

function* entityRows(scope: string) {
  for (let node = 0; node < entities; node++)
    yield {
      ...entityRow(scope, node),
      type: typeOf(node),
      lifecycle: lifecycleOf(node),
      merged_ids: "[]",
      person_fields: "[]",
      created_at: at,
      updated_at: at
    }
}

function* documentRows(scope: string) {
  for (let place = 0; place < documents; place++) {
    const path = `${place}.md`
    const named = { id: documentId(place), path, path_key: path, title: path, front_matter: "{}" }
    yield { workspace_id: scope, ...named, seq: place + 1, verification: "unverified", version: 1 }
  }
}

/** Numbers of documents, and behind them those of entities. */
const [documentNo, entityNo] = [(place: number) => place + 1, (node: number) => documents + node + 1]

function* numberRows(scope: string) {
  const own = { workspace_id: scope }
  for (let place = 0; place < documents; place++)
    yield { ...own, id: documentId(place), number: documentNo(place) }
  for (let node = 0; node < entities; node++) yield { ...own, id: idOf(node), number: entityNo(node) }
}

function* mentionRows(scope: string) {
  for (let place = 0; place < mentions; place++) {
    const node = Math.floor(random() ** 2 * entities)
    mentioned[node] = (mentioned[node] ?? 0) + 1
    yield {
      workspace_id: scope,
      document_no: documentNo(place % documents),
      label: Math.floor(place / documents) + 1,
      start_offset: place,
      end_offset: place + 5,
      entity_no: entityNo(node),
      key: "x",
      confidence: 1
    }
  }
}

const tally = (values: Iterable<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
const nodes = Array.from({ length: entities }, (_, node) => node)

describe(`${entities} entities, ${relations} relations, ${mentions} mentions`, () => {
  it("are counted as they were written, hubs and all", async () => {
    const { counts, hubConcepts } = await workspace.run(runOperation(operations.getManifest, {}))
    expect([counts.documents, counts.entities, counts.relations]).toEqual([documents, entities, relations])
    expect(counts.entitiesByType).toEqual(tally(nodes.map(typeOf)))
    expect(counts.byLifecycle).toMatchObject(tally(nodes.map(lifecycleOf)))
    expect(counts.relationsByType).toEqual(tally(edges.map(({ type }) => type)))
    const [inward, outward] = [new Int32Array(entities), new Int32Array(entities)]
    for (const { dst, src } of edges) {
      inward[dst] = (inward[dst] ?? 0) + 1
      outward[src] = (outward[src] ?? 0) + 1
    }
    const best = nodes
      .filter((node) => lifecycleOf(node) === "published")
      .sort(
        (a, b) => (inward[b] ?? 0) - (inward[a] ?? 0) || (mentioned[b] ?? 0) - (mentioned[a] ?? 0) || a - b
      )
      .slice(0, 25)
    expect(
      hubConcepts.map(({ id, inDegree, mentionCount, outDegree }) => [id, inDegree, outDegree, mentionCount])
    ).toEqual(best.map((node) => [idOf(node), inward[node], outward[node], mentioned[node]]))
  })

  it("are listed, page by page and type by type", async () => {
    const list = (input: object) => workspace.run(runOperation(operations.listEntities, input))
    const page = await list({ limit: 200, offset: 0 })
    expect(page.total).toBe(entities)
    const last = await list({ limit: 200, offset: entities - 7 })
    expect(last.entities).toHaveLength(7)
    const persons = nodes.filter((node) => typeOf(node) === "person")
    const some = await list({ limit: 200, offset: 0, type: "person" })
    expect(some.total).toBe(persons.length)
    expect(some.entities.map(({ id }) => id)).toEqual(persons.slice(0, 200).map(idOf))
  })

  it("are walked three hops from a hub, within the caps", async () => {
    const found = await workspace.run(
      runOperation(operations.getNeighborhood, { id: idOf(0), depth: 3, perHopCap: 100, totalCap: 500 })
    )
    expect([found.nodes.length, found.truncated]).toEqual([Math.min(500, entities), true])
    const here = new Set(found.nodes.map(({ id }) => id))
    const among = edges.filter(({ dst, src }) => here.has(idOf(src)) && here.has(idOf(dst)))
    const text = (src: string, type: string, dst: string) => `${src} ${type} ${dst}`
    expect(new Set(found.edges.map(({ dst, src, type }) => text(src, type, dst)))).toEqual(
      new Set(among.map(({ dst, src, type }) => text(idOf(src), type, idOf(dst))))
    )
    for (const { id, mentionCount } of found.nodes)
      expect(mentionCount).toBe(mentioned[Number(id.slice("ent_".length))])
  })

  it("leave as SKOS in pieces, with every link from both ends", async () => {
    const isExported = (node: number) => lifecycleOf(node) !== "draft"
    const Node = z.looseObject({
      "@type": z.string(),
      broader: z.array(z.string()).default([]),
      narrower: z.array(z.string()).default([]),
      related: z.array(z.string()).default([])
    })
    const found = { concepts: 0, broader: 0, narrower: 0, related: 0 }
    let [rest, longest] = ["", 0]
    const take = (line: string) => {
      if (!line.startsWith('{"@id"')) return
      const node = Node.parse(JSON.parse(line.replace(/,$/, "")))
      if (node["@type"] !== "Concept") return
      found.concepts += 1
      found.broader += node.broader.length
      found.narrower += node.narrower.length
      found.related += node.related.length
    }
    await workspace.run(
      Stream.runForEach(skosText, (piece) =>
        Effect.sync(() => {
          longest = Math.max(longest, piece.length)
          const lines = (rest + piece).split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) take(line)
        })
      )
    )
    take(rest)
    const told = edges.filter(({ dst, src }) => isExported(src) && isExported(dst))
    const broader = told.filter(({ type }) => type === "broader").length
    /** Whether one stands above the other over exported concepts alone: that is told as the hierarchy (S27). */
    const isAbove = (high: number, low: number): boolean => {
      for (let node = low; node > 0 && isExported(node); ) {
        node = parentOf(node)
        if (node === high) return isExported(node)
      }
      return false
    }
    const related = told.filter(
      ({ dst, src, type }) => type === "related" && !isAbove(src, dst) && !isAbove(dst, src)
    ).length
    expect(found).toEqual({
      concepts: nodes.filter(isExported).length,
      broader,
      narrower: broader,
      related: 2 * related
    })
    // A page of concepts with all their links, never the whole.
    expect(longest).toBeLessThan(4_000_000)
  })
})
