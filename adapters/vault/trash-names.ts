import { DocumentId } from "../../core/platform/kernel/index.js"

const suffix = ".md"

/** Returns the name of a document's file in the trash. */
export const trashName = (id: string): string => `${id}${suffix}`

/** Returns the documents with a file in the trash, in id order; other names are ignored. */
export const trashedAmong = (names: ReadonlyArray<string>): ReadonlyArray<DocumentId> =>
  idsAmong(names.flatMap((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : [])))

/** Returns the document ids among the names, in order. */
export const idsAmong = (names: ReadonlyArray<string>): ReadonlyArray<DocumentId> =>
  names.flatMap((name) => DocumentId.safeParse(name).data ?? []).sort()
