import { DocumentId } from "../../core/kernel/index.js"

const suffix = ".md"

/** The name of a document's file in the trash. */
export const trashName = (id: string): string => `${id}${suffix}`

/** The documents of which the trash holds a file, in id order; what else lies there is nobody's. */
export const trashedAmong = (names: ReadonlyArray<string>): ReadonlyArray<DocumentId> =>
  idsAmong(names.flatMap((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : [])))

/** What of it are ids of documents, in order. */
export const idsAmong = (names: ReadonlyArray<string>): ReadonlyArray<DocumentId> =>
  names.flatMap((name) => DocumentId.safeParse(name).data ?? []).sort()
