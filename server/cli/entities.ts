import * as Effect from "effect/Effect"
import type { Engine } from "../../core/engine/engine.js"
import type { Neighborhood } from "../../core/graph/index.js"
import { EntityId, nameNorm } from "../../core/kernel/index.js"
import { dayOf, listing, paintCell } from "./documents.js"
import { type Failure, failed } from "./failure.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, proseColumns, tableColumns } from "./terminal.js"
import { cleanLine, counted, table, wrap } from "./text.js"

export const list = (
  input: CommonInput & { readonly type: string | undefined; readonly limit: number; readonly offset: number }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { limit, offset, type } = input
      const page = yield* call(() =>
        engine.entities.list({ limit, offset, ...(type === undefined ? {} : { type }) })
      )
      yield* answer(input.json, page, () => {
        const rows = page.entities.map(({ id, name, pagerank, type: kind }) => [
          cleanLine(name),
          cleanLine(kind),
          pagerank === null ? "" : pagerank.toFixed(5),
          id
        ])
        const columns = [
          { title: "name", shrink: true },
          { title: "type", shrink: true },
          { title: "rank", align: "right" as const },
          { title: "id" }
        ]
        const shown = table(columns, rows, tableColumns(), paintCell)
        return listing(shown, page, page.entities.length, "entity", "entities")
      })
    })
  )

export const show = (input: CommonInput & { readonly entity: string }): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const id = yield* entityId(engine, input.entity)
      const entity = yield* call(() => engine.entities.get(id))
      yield* answer(input.json, entity, () => {
        const { curation } = entity
        const facts: ReadonlyArray<readonly [string, string]> = [
          ["also called", entity.aliases.map(cleanLine).join(", ")],
          ["authority", curation.authority.replaceAll("_", " ")],
          ["life cycle", curation.lifecycleStatus.replaceAll("_", " ")],
          ["origin", entity.origin.replaceAll("_", " ")],
          ["owner", cleanLine(curation.ownerId ?? "")],
          ["reviewed", curation.lastReviewedAt === null ? "" : dayOf(curation.lastReviewedAt)],
          ["replaced by", curation.supersededBy ?? ""],
          [
            "found in",
            curation.sourceRefs.length === 0 ? "" : counted(curation.sourceRefs.length, "passage")
          ],
          ["id", entity.id]
        ]
        const known = facts.filter(([, value]) => value !== "")
        return [
          `${paint.bold(cleanLine(entity.name))} ${paint.dim(cleanLine(entity.type))}`,
          ...(entity.description === null ? [] : [wrap(cleanLine(entity.description), proseColumns())]),
          ...known.map(([name, value]) => `${paint.dim(name.padEnd(11))}  ${value}`)
        ].join("\n")
      })
    })
  )

export const neighborhood = (
  input: CommonInput & {
    readonly entity: string
    readonly depth: number
    readonly perHopCap: number
    readonly totalCap: number
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const id = yield* entityId(engine, input.entity)
      const { depth, perHopCap, totalCap } = input
      const found = yield* call(() => engine.entities.neighborhood(id, { depth, perHopCap, totalCap }))
      yield* answer(input.json, found, () => shownNeighborhood(found))
    })
  )

const shownNeighborhood = ({ edges, entity, nodes, truncated }: Neighborhood): string => {
  const names = new Map(nodes.map(({ id, name }) => [id, cleanLine(name)]))
  const nameOf = (id: EntityId): string => names.get(id) ?? id
  const rows = edges.map(({ dst, mentionCount, src, type }) => [
    nameOf(src),
    cleanLine(type),
    nameOf(dst),
    `${mentionCount}`
  ])
  const columns = [
    { title: "from", shrink: true },
    { title: "relation", shrink: true },
    { title: "to", shrink: true },
    { title: "places", align: "right" as const }
  ]
  const paintEdge = (cell: string, column: number, isTitle: boolean): string =>
    isTitle || column === 3 ? paint.dim(cell) : column === 1 ? paint.cyan(cell) : cell
  return [
    `${paint.bold(cleanLine(entity.name))} ${paint.dim(cleanLine(entity.type))}  ${paint.dim(counted(entity.mentionCount, "mention"))}`,
    "",
    edges.length === 0 ? "No relations." : table(columns, rows, tableColumns(), paintEdge),
    "",
    paint.dim(
      `${counted(nodes.length, "entity", "entities")}, ${counted(edges.length, "relation")}` +
        (truncated ? "; there are more: raise --per-hop-cap or --total-cap" : "")
    )
  ].join("\n")
}

/** The entity of an id, or the only one with this name or alias. */
export const entityId = (engine: Engine, idOrName: string): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    if (EntityId.safeParse(idOrName).success) return idOrName
    if (nameNorm(idOrName) === "") return yield* failed("not_found", "No such entity.")
    const { candidates } = yield* call(() => engine.entities.resolve(idOrName, { limit: 20 }))
    const exact = candidates.filter(({ matchKind }) => matchKind === "exact")
    const named = exact.length > 0 ? exact : candidates.filter(({ matchKind }) => matchKind === "alias")
    const [only, ...others] = named
    if (only === undefined) {
      const near = candidates.slice(0, 3).map(({ name }) => `'${cleanLine(name)}'`)
      const hint = near.length === 0 ? "" : ` Near it: ${near.join(", ")}.`
      return yield* failed("not_found", `No entity is called '${cleanLine(idOrName)}'.${hint}`)
    }
    if (others.length > 0) {
      const choices = named.map(({ id, name, type }) => `${cleanLine(name)} (${cleanLine(type)}) ${id}`)
      return yield* failed(
        "ambiguous_name",
        `Several entities are called '${cleanLine(idOrName)}'; name one by its id: ${choices.join("; ")}`
      )
    }
    return only.id
  })
