import * as Effect from "effect/Effect"
import { DocumentStore } from "../../core/files/documents/index.js"
import { allAliases, EntityStore } from "../../core/knowledge/entities/index.js"

import { GraphStore } from "../../core/knowledge/graph/index.js"
import type { WorkspaceScope } from "../../core/platform/kernel/index.js"

/** Everything that the graph shows, in words that know nothing of ids and history. */
export const graphPicture = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [entities, graph, documents, readings] = [
      yield* EntityStore,
      yield* GraphStore,
      yield* DocumentStore,
      (yield* GraphStore).records
    ]
    const all = { limit: 1_000_000, offset: 0 }
    const listed = yield* entities.list(workspace, all, {})
    const items = yield* entities.findMany(
      workspace,
      listed.items.map(({ id }) => id)
    )
    const known = yield* readings.readingsAfter(workspace, "", 1_000_000)
    const paths = new Map(known.map(({ documentId, path }) => [documentId, path]))
    const mentions = (yield* Effect.forEach(known, ({ documentId }) =>
      graph.mentions(workspace, { documentId }, all)
    )).flatMap((page) => page.items)
    const passages = new Map(
      (yield* documents.passages(
        workspace,
        mentions.map(({ label }) => label)
      )).map((one) => [one.label, one])
    )
    const named = yield* entities.findMany(
      workspace,
      mentions.map(({ entityId }) => entityId)
    )
    const names = new Map([...items, ...named].map((one) => [one.id, `${one.type}/${one.nameNorm}`]))
    const relations = (yield* graph.relations(workspace, {}, all)).items
    const evidence = yield* graph.evidence(
      workspace,
      relations.map(({ id }) => id),
      1_000_000
    )
    return {
      entities: items
        .map((one) => `${one.type}/${one.nameNorm}/${one.name} = ${allAliases(one).join()} @ ${one.pagerank}`)
        .sort(),
      mentions: mentions
        .map(({ confidence, documentId, end, entityId, label, start }) => {
          const text = passages.get(label)?.text
          return `${paths.get(documentId)} [${text}] ${start}-${end} "${text?.slice(start, end)}" ${names.get(entityId)} ${confidence}`
        })
        .sort(),
      relations: relations
        .map(({ dstId, evidenceCount, id, srcId, type }) => {
          const places = evidence
            .filter(({ relationId }) => relationId === id)
            .map(({ documentId, quote }) => `${paths.get(documentId)}: ${quote}`)
          return `${names.get(srcId)} ${type} ${names.get(dstId)} ${evidenceCount} ${places.sort().join(" + ")}`
        })
        .sort(),
      edges: (yield* graph.allEdges(workspace))
        .map(
          ({ dst, mentionCount, src, type }) => `${names.get(src)} ${type} ${names.get(dst)} ${mentionCount}`
        )
        .sort(),
      counts: yield* graph.counts(workspace)
    }
  })
