import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { z } from "zod"
import { Caller, type EntityId, visibleJson } from "../../platform/kernel/index.js"
import { collecting, schemeNode } from "./collection-nodes.js"
import { type Hierarchy, hierarchyOf } from "./hierarchy.js"
import { iriOf, namedPartIri } from "./iris.js"
import { mergeDetails } from "./joining.js"
import type { ConceptDetails, Grouping } from "./model.js"
import { conceptNode, SkosNode } from "./nodes.js"
import { type ExportedConcept, VocabularyStore } from "./store.js"
import { context } from "./words.js"

/** A SKOS vocabulary as JSON-LD with a self-contained context. */
export const SkosDocument = z.object({
  "@context": z.record(z.string(), z.unknown()).describe("The same in every export."),
  "@graph": z
    .array(SkosNode)
    .describe(
      "The scheme of the workspace, the concepts by their entities' ids, then schemes, collections, types and agents."
    )
})
export type SkosDocument = z.infer<typeof SkosDocument>

/**
 * Streams the published, deprecated and superseded concepts of the caller's workspace as JSON-LD text, one node a
 * line. The export is one consistent snapshot that blocks no writer. Memory holds one page of concepts, all ids, and
 * the hierarchy. Equal workspaces give equal bytes.
 */
export const skosText: Stream.Stream<string, never, VocabularyStore | Caller> = Stream.unwrapScoped(
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const moment = yield* (yield* VocabularyStore).reader.open(workspace)
    const exported = new Set<EntityId>()
    yield* Stream.runForEach(moment.exported, (id) => Effect.sync(() => exported.add(id)))
    const iris = new Map<EntityId, string>()
    yield* Stream.runForEach(moment.iris, ([id, iri]) => Effect.sync(() => iris.set(id, iri)))
    const groupings = new Map<string, Grouping>()
    yield* Stream.runForEach(moment.groupings, (one) => Effect.sync(() => groupings.set(one.iri, one)))
    const links = yield* Stream.runCollect(moment.hierarchy)
    const state: ExportState = {
      workspace,
      scheme: iriOf(workspace),
      iriOf: (id) => iris.get(id) ?? iriOf(id),
      exported,
      // Drafts are not exported, so the hierarchy does not pass through them.
      hierarchy: hierarchyOf([...links].filter(([low, high]) => exported.has(low) && exported.has(high)))
    }
    const collections = collecting()
    const conceptIris = new Set([...exported].map(state.iriOf))
    const also = {
      types: new Set<string>(),
      schemes: new Map<string, Array<string>>(),
      agents: new Set<string>()
    }
    const first: SkosNode = { "@id": state.scheme, "@type": "ConceptScheme", title: moment.workspaceName }
    const head = `{"@context":${JSON.stringify(context)},"@graph":[\n${visibleJson(first)}`
    const concepts = Stream.map(moment.concepts, (page) =>
      page
        .map((one) => {
          const node = nodeOf(one, state)
          also.types.add(one.entity.type)
          collections.add(node["@id"], detailsOf(one)?.collections ?? [])
          for (const scheme of node.inScheme ?? []) {
            const isTop = node.topConceptOf?.includes(scheme) === true
            if (scheme !== state.scheme) addTop(also.schemes, scheme, isTop ? [node["@id"]] : [])
          }
          for (const agent of attributed(one)) also.agents.add(agent)
          return `,\n${visibleJson(node)}`
        })
        .join("")
    )
    const last = Stream.sync(() => {
      const gathered = collections.nodes((iri) => conceptIris.has(iri), groupings)
      for (const { inScheme } of gathered)
        for (const scheme of inScheme ?? []) addTop(also.schemes, scheme, [])
      const schemes = [...also.schemes.keys()]
        .sort()
        .map((iri) => schemeNode(iri, also.schemes.get(iri) ?? [], groupings.get(iri)))
      return `${endNodes(state.workspace, also, [...schemes, ...gathered])}\n]}\n`
    })
    return Stream.make(head).pipe(Stream.concat(concepts), Stream.concat(last))
  })
)

const addTop = (schemes: Map<string, Array<string>>, scheme: string, tops: ReadonlyArray<string>): void => {
  const known = schemes.get(scheme)
  if (known === undefined) schemes.set(scheme, [...tops])
  else known.push(...tops)
}

/** Returns the same document as one value, held in memory. */
export const skosDocument = Effect.map(
  Stream.runFold(skosText, "", (text, piece) => text + piece),
  (text) => SkosDocument.parse(JSON.parse(text))
)

interface ExportState {
  readonly workspace: string
  readonly scheme: string
  readonly iriOf: (id: EntityId) => string
  readonly exported: ReadonlySet<EntityId>
  readonly hierarchy: Hierarchy
}

const nodeOf = (
  one: ExportedConcept,
  { exported, hierarchy, iriOf: iri, scheme, workspace }: ExportState
): SkosNode => {
  const { concepts, entity, members, notes } = one
  const successor = entity.lifecycle === "superseded" && one.successor !== entity.id ? one.successor : null
  const related = one.related.filter((id) => id !== entity.id && exported.has(id))
  // Concepts connected by the hierarchy must not be related as well (SKOS S27).
  const connected = hierarchy.connected(entity.id, related)
  return conceptNode({
    workspace,
    scheme,
    iri: iri(entity.id),
    entity,
    members,
    details: detailsOf(one),
    broader: hierarchy.broader(entity.id).map(iri),
    narrower: hierarchy.narrower(entity.id).map(iri),
    related: related.filter((id) => !connected.has(id)).map(iri),
    isReplacedBy: successor === null || !exported.has(successor) ? null : iri(successor),
    replaces: concepts.filter(({ entityId }) => entityId !== entity.id).map((merged) => merged.iri),
    qualifiedNames: concepts.flatMap(({ details }) => details.qualified?.name ?? []),
    attributedTo: attributed(one),
    notes
  })
}

/** Returns the stored details of the entity's own concept and of the concepts merged into it. */
const detailsOf = ({ concepts, entity }: ExportedConcept): ConceptDetails | null =>
  mergeDetails(
    concepts.find(({ entityId }) => entityId === entity.id)?.details ?? null,
    concepts.filter(({ entityId }) => entityId !== entity.id).map(({ details }) => details),
    new Set(concepts.map(({ iri }) => iri))
  )

const attributed = ({ certifiedBy, entity }: ExportedConcept): ReadonlyArray<string> => [
  ...new Set([entity.ownerId, certifiedBy].filter((id) => id !== null))
]

const endNodes = (
  workspace: string,
  { agents, types }: Readonly<Record<"types" | "agents", ReadonlySet<string>>>,
  groupings: ReadonlyArray<SkosNode>
): string => {
  const nodes: ReadonlyArray<SkosNode> = [
    ...groupings,
    ...[...types].sort().map((type) => ({
      "@id": namedPartIri(workspace, "type", type),
      "@type": "Class" as const,
      label: type
    })),
    ...[...agents].sort().map((agent) => ({
      "@id": namedPartIri(workspace, "agent", agent),
      "@type": "Agent" as const,
      identifier: agent
    }))
  ]
  return nodes.map((node) => `,\n${visibleJson(node)}`).join("")
}
