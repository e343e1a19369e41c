import { z } from "zod"
import { operation } from "../../platform/kernel/index.js"
import { SkosDocument, skosDocument } from "./export.js"
import { importSkos as takeIn } from "./import.js"
import { SkosImportResult, SkosImportSettings } from "./model.js"

/** Exports the whole vocabulary as one value; `kanon export skos` streams the same as text. */
export const exportSkos = operation({
  name: "exportSkos",
  summary: "Export published, deprecated and superseded concepts as a SKOS vocabulary in JSON-LD.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({}),
  output: SkosDocument,
  faults: [],
  run: () => skosDocument
})

/**
 * Parses and checks a vocabulary and leaves the import to a job. InvalidInput for a document that is no RDF, refers
 * to a remote context, or has no concept.
 */
export const importSkos = operation({
  name: "importSkos",
  summary: "Import a SKOS vocabulary in a job, as proposals or directly; IRIs identify concepts.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({
    document: z
      .union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))])
      .describe("JSON-LD; its context must stand in it."),
    ...SkosImportSettings.shape
  }),
  output: SkosImportResult,
  faults: ["InvalidInput"],
  run: ({ document, ...options }) => takeIn({ format: "json-ld", document }, options)
})
