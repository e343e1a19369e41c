import { z } from "zod"
import { DocumentId } from "../../platform/kernel/index.js"
import type { ProposalSource } from "../documents/index.js"
import type { FrontMatter } from "../markdown/index.js"

const CompiledFields = z.looseObject({
  compiled: z.literal(true),
  sources: z.array(z.looseObject({ id: DocumentId, version: z.int() }))
})

/** Whether a page says of itself that it was compiled from others. */
export const isCompiled = ({ other }: Pick<FrontMatter, "other">): boolean => other["compiled"] === true

/** Returns the documents, with their versions, of which a page says that it was compiled from them. */
export const compiledSources = ({ other }: Pick<FrontMatter, "other">): ReadonlyArray<ProposalSource> => {
  const read = CompiledFields.safeParse(other)
  return read.success ? read.data.sources.map(({ id, version }) => ({ docId: id, version })) : []
}

/** The fields of a document that tell whether it is still the version that a page was compiled from. */
interface PresentSource {
  readonly id: DocumentId
  readonly version: number
  readonly deletedAt: string | null
}

/** Returns the sources that have another version now, or are gone. */
export const changedSources = (
  sources: ReadonlyArray<ProposalSource>,
  present: ReadonlyArray<PresentSource>
): ReadonlyArray<DocumentId> => {
  const live = new Map(present.flatMap((one) => (one.deletedAt === null ? [[one.id, one.version]] : [])))
  return sources.flatMap(({ docId, version }) => (live.get(docId) === version ? [] : [docId]))
}
