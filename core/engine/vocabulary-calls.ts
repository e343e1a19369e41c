import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import {
  asInvalid,
  Caller,
  type CallerShape,
  EntityId,
  type Fault,
  JobId,
  NotFound
} from "../kernel/index.js"
import type { Ports } from "../ports.js"
import {
  type ConceptDetails,
  conceptOf,
  importReport,
  importSkos,
  type RdfSource,
  type SkosImportReport,
  type SkosImportResult,
  SkosImportSettings,
  skosText,
  type VocabularyReader
} from "../vocabulary/index.js"
import type { Wired } from "../wiring.js"
import { iterated } from "./export.js"

/** The calls of the embedded engine that are about vocabularies. */
export interface VocabularyCalls {
  /**
   * The published, deprecated and superseded concepts as the bytes of a SKOS document in JSON-LD, piece by piece: one
   * moment's picture, for which nobody waits.
   */
  readonly exportSkos: () => AsyncIterable<Uint8Array>
  /**
   * Takes a SKOS vocabulary in, as JSON-LD (a parsed document) or as the text of Turtle or N-Triples. Says what will
   * happen; a job does it, save in a dry run. Rejected with a KanonError `invalid_body` when it is no SKOS.
   */
  readonly importSkos: (
    source: RdfSource,
    options?: z.input<typeof SkosImportSettings>
  ) => Promise<SkosImportResult>
  /** What an import has done so far, by the id of its job; kept until another import begins after its end. */
  readonly skosImport: (jobId: string) => Promise<SkosImportReport>
  /** The IRI of an entity's concept, and its texts with their languages; null where it came from no vocabulary. */
  readonly conceptOf: (
    entityId: string
  ) => Promise<({ readonly iri: string } & Pick<ConceptDetails, "schemes" | "texts">) | null>
}

type Services = Ports | Wired

export const vocabularyCalls = <E>(
  runtime: ManagedRuntime.ManagedRuntime<Services, E>,
  caller: CallerShape,
  run: <A>(effect: Effect.Effect<A, Fault, Services | Caller>) => Promise<A>
): VocabularyCalls => ({
  exportSkos: () => piecesOf(runtime, caller),
  importSkos: (source, options = {}) => {
    const settings = SkosImportSettings.safeParse(options)
    return run(settings.success ? importSkos(source, settings.data) : asInvalid(settings.error))
  },
  skosImport: (jobId) => run(found("import", JobId.safeParse(jobId), importReport)),
  conceptOf: (entityId) => run(found("entity", EntityId.safeParse(entityId), conceptOf))
})

/** What belongs to an id; an id of another form is one that nothing has. */
const found = <Id, A, E, R>(
  what: string,
  id: z.ZodSafeParseResult<Id>,
  look: (id: Id) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | NotFound, R> => (id.success ? look(id.data) : Effect.fail(new NotFound({ what })))

/** Each loop over it makes an export of its own. */
const piecesOf = <E>(
  runtime: ManagedRuntime.ManagedRuntime<VocabularyReader | Services, E>,
  caller: CallerShape
): AsyncIterable<Uint8Array> =>
  iterated(runtime, Stream.encodeText(Stream.provideService(skosText, Caller, caller)))
