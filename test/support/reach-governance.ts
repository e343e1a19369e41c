import { z } from "zod"
import { type Call, DocId, Docs, Id, idOf } from "./reach-calls.js"

/** Everything that people decide about entities and documents, and the trash. */
export const govern = async (call: Call, ada: string, engine: string, work: () => Promise<void>) => {
  const person = async (name: string) => idOf(await call("createEntity", { name, type: "person" }))
  const propose = async (kind: string, entityId?: string, payload: object = {}) =>
    idOf(await call("proposeChange", { kind, payload, ...(entityId === undefined ? {} : { entityId }) }))
  const [first, second, third] = [await person("Mary"), await person("Grace"), await person("Joan")]
  for (const authority of ["machine_extracted", "asserted", "curated", "certified"])
    await call("setAuthority", { id: ada, authority })
  await call("certifyEntity", { id: ada })
  await call("reviewEntity", { id: ada })
  await call("setOwner", { id: third, ownerId: "ada" })
  await call("updateEntity", { id: ada, description: "She wrote the first program." })
  for (const lifecycleStatus of ["draft", "pending_review", "published"]) {
    await call("setEntityLifecycle", { id: second, lifecycleStatus })
    await call("getEntity", { id: second })
    await call("resolveEntities", { q: "Grace" })
  }
  await call("mergeEntity", { id: first, intoId: second })
  await call("listTrash", { kind: "merged_entity" })
  await call("restoreFromTrash", { id: first })
  const requests = {
    create: await propose("create", undefined, { name: "Emmy", type: "person", lifecycle: "draft" }),
    update: await propose("update", second, { description: "An admiral." }),
    deprecate: await propose("deprecate", second),
    supersede: await propose("supersede", first, { supersededBy: second }),
    delete: await propose("delete", second)
  }
  const Applied = z.object({ appliedEntityId: z.string() })
  for (const id of [requests.create, requests.update, requests.supersede]) {
    const { appliedEntityId } = Applied.parse(await call("approveChangeRequest", { id }))
    await call("getEntity", { id: appliedEntityId })
  }
  await call("rejectChangeRequest", { id: requests.deprecate })
  await call("withdrawChangeRequest", { id: requests.delete })
  for (const lifecycle of ["pending_review", "published"])
    await propose("create", undefined, { name: `Sofia, ${lifecycle}`, type: "person", lifecycle })
  for (const status of ["open", "approved", "rejected", "withdrawn"])
    await call("listChangeRequests", { status })
  await call("deprecateEntity", { id: second })
  await call("resolveEntities", { q: "Mary" })
  const dead = await person("Rosalind")
  await call("deleteEntity", { id: dead })
  await call("listTrash", { kind: "entity" })
  await call("restoreFromTrash", { id: dead })
  for (const id of [ada, first, second, third, dead]) await call("listRevisions", { id })
  const Relation = z.object({ relationId: z.string() })
  const relation = { srcEntityId: engine, dstEntityId: ada, type: "named_by" }
  const { relationId } = Relation.parse(await call("createRelation", relation))
  await call("deleteRelation", { id: relationId })
  await call("listTrash", { kind: "relation" })
  await call("restoreFromTrash", { id: relationId })
  const { docId } = DocId.parse(await call("createDocument", { title: "Mine" }))
  for (const { id } of Docs.parse(await call("listDocuments")).items.slice(0, 3)) {
    await call("listDocumentVersions", { id })
    await call("getDocumentLineage", { id })
  }
  await call("getDocumentLineage", { id: docId })
  await call("replaceDocument", { id: docId, content: "# Mine\n\nSee [[page-1]].\n" })
  for (const verification of ["verified", "certified", "deprecated", "unverified"]) {
    await call("verifyDocument", { id: docId, verification })
    await call("getDocument", { id: docId })
    await call("replaceDocument", { id: docId, content: `# Mine\n\nSee [[page-1]], ${verification}.\n` })
    await call("listDocumentVersions", { id: docId })
  }
  const other = DocId.parse(
    await call("createDocument", { title: "Yours", content: "[Mine](Mine.md)" })
  ).docId
  await call("moveDocument", { id: docId, path: "deep/mine.md" })
  await call("listDocumentVersions", { id: other })
  await call("getDocumentLineage", { id: other })
  await call("deleteDocument", { id: docId })
  await call("listTrash", { kind: "document" })
  await call("restoreFromTrash", { id: docId })
  for (const kind of [
    "ingest",
    "reindex",
    "reembed",
    "reextract",
    "graph_analytics",
    "reconcile",
    "contradictions"
  ])
    await call("startJob", { kind, all: true })
  await call("listAuditEvents", { format: "json" })
  const document = {
    "@context": { skos: "http://www.w3.org/2004/02/skos/core#" },
    "@graph": [
      ...["Moon", "Sun"].map((name) => ({
        "@id": `https://example.org/${name}`,
        "@type": "skos:Concept",
        "skos:prefLabel": name
      })),
      ...["Collection", "OrderedCollection"].map((kind) => ({
        "@id": `https://example.org/${kind}`,
        "@type": `skos:${kind}`,
        "skos:prefLabel": kind,
        "skos:member": { "@id": "https://example.org/Moon" }
      })),
      // Something of each kind that is not kept.
      {
        "@id": "https://example.org/Moon",
        "skos:example": "",
        "skos:hiddenLabel": "Moon",
        "http://purl.org/dc/terms/creator": "Ada",
        "http://purl.org/dc/terms/isReplacedBy": ["A", "B"].map((name) => ({
          "@id": `https://example.org/${name}`
        })),
        "skos:altLabel": Array.from({ length: 240 }, (_, at) => `Moon ${at}`),
        "skos:broader": {},
        unmapped: "a term that the context does not define"
      }
    ]
  }
  for (const mode of ["propose", "apply"]) await call("importSkos", { document, mode, dryRun: true })
  await call("importSkos", { document, mode: "apply" })
  await work()
  for (const origin of ["manual", "extraction", "import"]) await call("listRelations", { origin })
  const Found = z.object({ candidates: z.tuple([Id], z.unknown()) })
  await call("getEntity", { id: Found.parse(await call("resolveEntities", { q: "Moon" })).candidates[0].id })
  await call("exportSkos")
}
