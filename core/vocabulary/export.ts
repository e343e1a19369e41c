import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { z } from "zod"
import { Caller, type EntityId } from "../kernel/index.js"
import { collecting } from "./collection-nodes.js"
import { type Hierarchy, hierarchyOf } from "./hierarchy.js"
import { iriOf, partOf } from "./iris.js"
import type { ConceptDetails } from "./model.js"
import { conceptNode, SkosNode } from "./nodes.js"
import { type ExportedConcept, VocabularyReader } from "./store.js"
import { context } from "./words.js"

/** A vocabulary in SKOS as JSON-LD, with a context that needs nothing else. */
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
 * The published, deprecated and superseded concepts of the caller's workspace as the text of a JSON-LD document, one
 * node a line. One moment's picture, for which nobody waits; holds one page of concepts, the ids of all, and the
 * hierarchy. Equal workspaces give equal bytes.
 */
export const skosText: Stream.Stream<string, never, VocabularyReader | Caller> = Stream.unwrapScoped(
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const moment = yield* (yield* VocabularyReader).open(workspace)
    const exported = new Set<EntityId>()
    yield* Stream.runForEach(moment.exported, (id) => Effect.sync(() => exported.add(id)))
    const iris = new Map<EntityId, string>()
    yield* Stream.runForEach(moment.iris, ([id, iri]) => Effect.sync(() => iris.set(id, iri)))
    const links = yield* Stream.runCollect(moment.hierarchy)
    const told: Told = {
      workspace,
      scheme: iriOf(workspace),
      iriOf: (id) => iris.get(id) ?? iriOf(id),
      exported,
      // A draft passes nothing on: what is not exported stands above nothing.
      hierarchy: hierarchyOf([...links].filter(([low, high]) => exported.has(low) && exported.has(high)))
    }
    const collections = collecting()
    const conceptIris = new Set([...exported].map(told.iriOf))
    const also = { types: new Set<string>(), schemes: new Set<string>(), agents: new Set<string>() }
    const first: SkosNode = { "@id": told.scheme, "@type": "ConceptScheme", title: moment.workspaceName }
    const head = `{"@context":${JSON.stringify(context)},"@graph":[\n${JSON.stringify(first)}`
    const concepts = Stream.map(moment.concepts, (page) =>
      page
        .map((one) => {
          const node = nodeOf(one, told)
          also.types.add(one.entity.type)
          collections.add(node["@id"], detailsOf(one)?.collections ?? [])
          for (const scheme of node.inScheme ?? []) if (scheme !== told.scheme) also.schemes.add(scheme)
          for (const agent of attributed(one)) also.agents.add(agent)
          return `,\n${JSON.stringify(node)}`
        })
        .join("")
    )
    const last = Stream.sync(() => {
      const gathered = collections.nodes((iri) => conceptIris.has(iri))
      return `${endNodes(told.workspace, also, gathered)}\n]}\n`
    })
    return Stream.make(head).pipe(Stream.concat(concepts), Stream.concat(last))
  })
)

/** The same as one value, for who can hold it. */
export const skosDocument = Effect.map(
  Stream.runFold(skosText, "", (text, piece) => text + piece),
  (text) => SkosDocument.parse(JSON.parse(text))
)

interface Told {
  readonly workspace: string
  readonly scheme: string
  readonly iriOf: (id: EntityId) => string
  readonly exported: ReadonlySet<EntityId>
  readonly hierarchy: Hierarchy
}

const nodeOf = (
  one: ExportedConcept,
  { exported, hierarchy, iriOf: iri, scheme, workspace }: Told
): SkosNode => {
  const { concepts, entity, members, notes } = one
  const related = one.related.filter((id) => id !== entity.id && exported.has(id))
  // Whoever stands above or below is not related as well (S27).
  const connected = hierarchy.connected(entity.id, related)
  const successor = entity.lifecycle === "superseded" ? entity.supersededBy : null
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
    attributedTo: attributed(one),
    notes
  })
}

/** What is kept of the concept that the entity itself was; those merged into it are told by their IRIs. */
const detailsOf = ({ concepts, entity }: ExportedConcept): ConceptDetails | null =>
  concepts.find(({ entityId }) => entityId === entity.id)?.details ?? null

const attributed = ({ certifiedBy, entity }: ExportedConcept): ReadonlyArray<string> => [
  ...new Set([entity.ownerId, certifiedBy].filter((id) => id !== null))
]

const endNodes = (
  workspace: string,
  { agents, schemes, types }: Readonly<Record<"types" | "schemes" | "agents", ReadonlySet<string>>>,
  collections: ReadonlyArray<SkosNode>
): string => {
  const nodes: ReadonlyArray<SkosNode> = [
    ...[...schemes].sort().map((iri) => ({ "@id": iri, "@type": "ConceptScheme" as const })),
    ...collections,
    ...[...types].sort().map((type) => ({
      "@id": partOf(workspace, "type", type),
      "@type": "Class" as const,
      label: type
    })),
    ...[...agents].sort().map((agent) => ({
      "@id": partOf(workspace, "agent", agent),
      "@type": "Agent" as const,
      identifier: agent
    }))
  ]
  return nodes.map((node) => `,\n${JSON.stringify(node)}`).join("")
}
