import * as Effect from "effect/Effect"
import { type Document, DocumentStore } from "../../files/documents/index.js"
import { atomically, Caller, type DocumentId } from "../../platform/kernel/index.js"
import { Extractor } from "../document-facts/index.js"
import { claimKey } from "../entities/index.js"
import { type ExtractionRecord, GraphStore, type KeptNames, type NameClaim } from "../graph/index.js"
import type { GraphInspector } from "./inspection.js"
import { namedClaims } from "./model-names.js"
import { claimsOf, claimText, linkClaims } from "./name-claims.js"
import { resolverOf } from "./read-documents.js"
import { ofTypes, relationTypesOf } from "./relation-types.js"

const documentsPerPage = 32

type Resolver = Effect.Effect.Success<ReturnType<typeof resolverOf>>

/**
 * Extracts every live document again and compares names, references with their targets, words and claims with what is
 * stored. A rebuild moves the cursor of the extraction back to the documents that differ. Gives the number compared.
 */
export const inspectReadings = (inspector: GraphInspector) =>
  Effect.gen(function* () {
    const [documents, inspection, { workspace }] = [
      yield* DocumentStore,
      (yield* DocumentStore).inspection,
      yield* Caller
    ]
    const resolver = yield* resolverOf(workspace)
    const { documents: total } = yield* documents.counts(workspace)
    for (let [after, done] = ["", 0]; ; ) {
      const page = yield* inspection.documentsAfter(workspace, after, documentsPerPage)
      const live = page.filter(({ deletedAt }) => deletedAt === null)
      const suspects = yield* differing(live, resolver)
      if (suspects.length > 0) yield* confirm(inspector, suspects)
      done += live.length
      yield* inspector.progress(done, Math.max(total, done))
      const last = page.at(-1)
      if (last === undefined || last.id === after) return done
      after = last.id
      yield* Effect.sleep(0)
    }
  })

const confirm = (inspector: GraphInspector, suspects: ReadonlyArray<Document>) =>
  atomically(
    Effect.gen(function* () {
      const [documents, extraction, readingStore, { workspace }] = [
        yield* DocumentStore,
        (yield* GraphStore).extraction,
        (yield* GraphStore).records,
        yield* Caller
      ]
      const state = yield* extraction.state(workspace)
      const present = (yield* Effect.forEach(suspects, ({ id }) => documents.find(workspace, id))).flatMap(
        (found) =>
          found._tag === "Some" && found.value.deletedAt === null && found.value.seq <= state.documentCursor
            ? [found.value]
            : []
      )
      const unfollowed = yield* readingStore.unfollowed(workspace, 1)
      // A pending extraction will resolve the targets of links again.
      if (state.relink || unfollowed.length > 0) return
      const wrong = yield* differing(present, yield* resolverOf(workspace))
      for (const { path } of wrong)
        yield* inspector.report("readings_differ", {
          subject: path,
          message: "The extraction record is not what the document gives."
        })
      if (!inspector.rebuild || wrong.length === 0) return
      const documentCursor = Math.min(state.documentCursor, ...wrong.map(({ seq }) => seq - 1))
      yield* extraction.setState(workspace, { ...state, documentCursor })
    })
  )

/** The documents whose stored extraction differs. */
const differing = (live: ReadonlyArray<Document>, resolver: Resolver) =>
  Effect.gen(function* () {
    const [inspection, readingStore, claimStore, { workspace }] = [
      (yield* GraphStore).inspection,
      (yield* GraphStore).records,
      (yield* GraphStore).claims,
      yield* Caller
    ]
    if (live.length === 0) return []
    const ids = live.map(({ id }) => id)
    const readings = new Map(
      (yield* readingStore.readings(workspace, ids)).map((one) => [one.documentId, one])
    )
    const words = yield* inspection.words(workspace, ids)
    const claims = new Map<DocumentId, Array<string>>(ids.map((id) => [id, []]))
    for (const claim of yield* claimStore.claimsOfDocuments(workspace, ids))
      claims.get(claim.documentId)?.push(claimText(claim))
    const linkers = yield* targetsOf(readings)
    const wrong: Array<Document> = []
    for (const document of live) {
      const kept = readings.get(document.id)?.named
      // A model may return other names now, so the stored names for this text are taken as correct.
      const named = kept?.contentHash === document.contentHash ? kept : undefined
      const fresh = yield* readAgain(document, resolver, named)
      const reading = readings.get(document.id)
      const own = words.get(document.id)
      const same =
        reading !== undefined &&
        own !== undefined &&
        textOf(reading) === textOf(fresh.reading) &&
        equal(own.words, fresh.words) &&
        equal(own.small, fresh.small) &&
        sorted(claims.get(document.id) ?? []) === sorted(fresh.claims.map(claimText)) &&
        linkers.has(document.id)
      if (!same) wrong.push(document)
    }
    return wrong
  })

/** Returns the documents that the link index lists under each of their targets. */
const targetsOf = (readings: ReadonlyMap<DocumentId, ExtractionRecord>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* GraphStore).records, yield* Caller]
    const filed = new Set<DocumentId>()
    for (const { documentId, targets } of readings.values()) {
      const wanted = [...new Set(targets ?? [])].filter((target) => target !== null)
      let all = true
      for (const target of wanted)
        if (!(yield* linkersOf(store, workspace, target)).has(documentId)) all = false
      if (all) filed.add(documentId)
    }
    return filed
  })

const linkersOf = (
  store: GraphStore["Type"]["records"],
  workspace: Parameters<GraphStore["Type"]["records"]["linkers"]>[0],
  target: DocumentId
) => Effect.map(store.linkers(workspace, [target]), (ids) => new Set(ids))

type Fresh = Omit<ExtractionRecord, "entityId">

const readAgain = (document: Document, resolver: Resolver, named: KeptNames | undefined) =>
  Effect.gen(function* () {
    const [documents, extractor, { workspace }] = [yield* DocumentStore, yield* Extractor, yield* Caller]
    const read = yield* extractor.read(document, yield* documents.chunks(workspace, document.id))
    const facts = ofTypes(read, yield* relationTypesOf(workspace))
    const found = facts.references.map(({ to }) =>
      "link" in to
        ? resolver.resolve(document.path, to.link)
        : resolver.resolveReference(document.path, to.value)
    )
    const reading: Fresh = {
      documentId: document.id,
      path: document.path,
      title: document.title,
      aliases: document.frontMatter.aliases,
      nameKey: claimKey(facts.self.name),
      nameType: facts.self.type,
      references: facts.references,
      tags: facts.tags,
      hidden: facts.hidden,
      stated: facts.prose?.relations ?? [],
      targets: found
    }
    const claims: ReadonlyArray<NameClaim> = [
      ...claimsOf(document.id, facts),
      ...namedClaims(document.id, named),
      ...linkClaims(document.id, facts.references, found)
    ]
    return { reading, claims, words: facts.words, small: facts.small }
  })

const textOf = (reading: Fresh): string => {
  const { aliases, hidden, nameKey, nameType, path, references, stated, tags, targets, title } = reading
  return JSON.stringify([path, title, aliases, nameKey, nameType, references, stated, tags, hidden, targets])
}

const equal = (a: Uint32Array, b: Uint32Array): boolean =>
  a.length === b.length && a.every((value, place) => value === b[place])

const sorted = (texts: ReadonlyArray<string>): string => [...texts].sort().join("\n")
