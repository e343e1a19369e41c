import { mkdirSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Engine, KanonError } from "../../../../adapters/sqlite/index.js"
import type { RdfSource } from "../../../../core/knowledge/vocabulary/index.js"
import { canonicalJson } from "../../../../core/platform/kernel/index.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { runs } from "../../../support/runs.js"
import { exported, linesOf, piecesOf, sealed, withPlace } from "../../../support/transfer.js"

const skos = "http://www.w3.org/2004/02/skos/core#"
const at = (name: string) => `https://example.org/${name}`

/** A vocabulary of concepts of these names, each below the one before, with texts in several languages. */
const vocabulary = (names: ReadonlyArray<string>): RdfSource => ({
  format: "json-ld",
  document: names.map((name, place) => ({
    "@id": at(encodeURIComponent(name)),
    "@type": `${skos}Concept`,
    [`${skos}prefLabel`]: [
      { "@value": name, "@language": "en" },
      { "@value": `${name} auf Deutsch`, "@language": "de" }
    ],
    [`${skos}altLabel`]: [{ "@value": `Ölkanne ${name}` }],
    [`${skos}scopeNote`]: [{ "@value": `Of \u2028 ${name} \u{1f3d7}`, "@language": "sr-Latn" }],
    [`${skos}inScheme`]: [{ "@id": at("scheme") }, { "@id": "urn:\u00e4" }],
    ...(place === 0
      ? { [`${skos}topConceptOf`]: [{ "@id": at("scheme") }] }
      : { [`${skos}broader`]: [{ "@id": at(encodeURIComponent(names[place - 1] ?? "")) }] })
  }))
})

/** Takes a vocabulary in, and waits until it is there. */
const takeIn = async (engine: Engine, source: RdfSource) => {
  const { jobId } = await engine.importSkos(source, { mode: "apply" })
  await engine.ingest()
  return engine.skosImport(jobId ?? "")
}

/** Returns the full state of all concepts. */
const kept = async (engine: Engine) => {
  const { entities } = await engine.entities.list({ limit: 200 })
  return Promise.all(entities.map(async ({ id, name }) => [id, name, await engine.conceptOf(id)] as const))
}

const skosOf = async (engine: Engine): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of engine.exportSkos()) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The export of a workspace with these concepts, some of them merged and removed, and its vocabulary. */
const withConcepts = <A>(
  names: ReadonlyArray<string>,
  use: (bytes: Buffer, engine: Engine) => Promise<A>
): Promise<A> =>
  withPlace(async (vault) => {
    mkdirSync(vault, { recursive: true })
    const engine = await createEngine({ vault })
    try {
      expect(await takeIn(engine, vocabulary(names))).toMatchObject({ created: names.length })
      const [one, other, third] = (await engine.entities.list({ limit: 3 })).entities
      if (other !== undefined) await engine.entities.merge(other.id, one?.id ?? "", "the same")
      if (third !== undefined) await engine.entities.remove(third.id)
      await engine.ingest()
      return await use(await exported(engine), engine)
    } finally {
      await engine.close()
    }
  })

describe("an export with concepts", () => {
  it("keeps their IRIs and texts, so that an import has the same ones and writes the same bytes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom("Crane", "Hoist", "Quay", "\u6771\u4eac", "Harbour", "Buoy"), {
          minLength: 1
        }),
        (names) =>
          withConcepts(names, (bytes, one) =>
            withPlace(async (copy) => {
              const { records } = await importWorkspace(piecesOf(bytes), { vault: copy, wait: false })
              expect(records.concept).toBe(names.length)
              const other = await createEngine({ vault: copy })
              expect((await exported(other)).toString()).toBe(bytes.toString())
              expect(await kept(other)).toEqual(await kept(one))
              expect(await skosOf(other)).toBe(await skosOf(one))
              expect(await other.doctor()).toMatchObject({ ok: true })
              // Known by its IRI, and not made a second time.
              expect(await takeIn(other, vocabulary(names))).toMatchObject({ created: 0, skipped: 0 })
              await other.close()
            })
          )
      ),
      { numRuns: runs(3) }
    ))

  it("can be taken in again whatever characters a vocabulary brought", () =>
    withPlace((vault) =>
      withPlace(async (copy) => {
        mkdirSync(vault, { recursive: true })
        const engine = await createEngine({ vault })
        const document = {
          "@id": at("crane"),
          "@type": `${skos}Concept`,
          [`${skos}prefLabel`]: [{ "@value": "Crane", "@language": "en" }, { "@value": "Kran \u0085\u202e" }],
          [`${skos}note`]: [{ "@value": "\u0001 and \uffff" }, { "@value": "\u0001 alone" }],
          [`${skos}inScheme`]: [{ "@id": at("s\uffff") }, { "@id": at("scheme") }]
        }
        await takeIn(engine, { format: "json-ld", document })
        const bytes = await exported(engine)
        // Characters that act on a terminal or change the direction of writing are escaped in every export.
        for (const text of [bytes.toString(), await skosOf(engine)])
          expect(text).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        await engine.close()
        const { records } = await importWorkspace(piecesOf(bytes), { vault: copy, wait: false })
        expect(records.concept).toBe(1)
      })
    ))

  type Lines = ReadonlyArray<Record<string, unknown>>
  const isConcept = ({ kind }: Record<string, unknown>) => kind === "concept"
  const changed =
    (change: (record: Record<string, unknown>, others: Lines) => Record<string, unknown>) =>
    (lines: Lines): Lines => {
      const [first, ...others] = lines.filter(isConcept)
      return lines.map((line) => (line === first ? change(line, others) : line))
    }
  const forgeries: Readonly<Record<string, readonly [string, (lines: Lines) => Lines]>> = {
    "an IRI twice": ["invalid_record", changed((one, [other]) => ({ ...one, iri: other?.["iri"] }))],
    "two concepts of one entity": [
      "changed",
      changed((one, [other]) => ({ ...one, entityId: other?.["entityId"] }))
    ],
    "an entity that is not there": [
      "invalid_record",
      changed((one) => ({ ...one, entityId: "ent_00000000000000000000000000" }))
    ],
    "an IRI that is none": ["invalid_record", changed((one) => ({ ...one, iri: "no iri" }))],
    "a scheme whose IRI is none": ["invalid_record", changed((one) => ({ ...one, schemes: ["<urn:a>"] }))],
    "a text of a kind that there is not": [
      "invalid_record",
      changed((one) => ({ ...one, texts: [{ kind: "title", language: "en", text: "x" }] }))
    ],
    "a field that there is not": ["invalid_record", changed((one) => ({ ...one, broader: [] }))]
  }

  it("is refused where somebody has forged a concept", () =>
    withConcepts(["Crane", "Hoist", "Quay"], async (bytes) => {
      const lines = linesOf(bytes)
      expect(lines.filter(isConcept)).toHaveLength(3)
      const taken = (forged: Lines) =>
        withPlace((vault) =>
          importWorkspace(piecesOf(sealed(forged.map(canonicalJson))), { vault, wait: false }).then(
            () => "imported",
            (error: unknown) =>
              error instanceof KanonError && error.fault._tag === "InvalidExport"
                ? error.fault.reason
                : String(error)
          )
        )
      expect(await taken(lines)).toBe("imported")
      for (const [what, [reason, forge]] of Object.entries(forgeries))
        expect([what, await taken(forge(lines))]).toEqual([what, reason])
    }))
})
