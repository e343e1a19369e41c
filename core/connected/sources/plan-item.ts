import type { Document } from "../../files/documents/index.js"
import type { OnConflict } from "./model.js"
import type { ExternalItem } from "./store.js"

/** Present state of an item at its source. */
export interface IncomingText {
  readonly path: string
  /** SHA-256 of the text. */
  readonly contentHash: string
  /** Whether the metadata differ from those of the document. */
  readonly isDescribedAnew: boolean
  /** Whether the source has what it had at the last fetch, of which other readers make another text. */
  readonly isReadAgain?: boolean
}

/**
 * Action of a sync on the document of an item. `settle` leaves the document and only records that the source was read.
 * `moves` means that the document is first moved to the new path.
 */
export type ItemPlan =
  | { readonly op: "create" }
  | { readonly op: "restore" }
  | { readonly op: "conflict" }
  | { readonly op: "settle" }
  | { readonly op: "update"; readonly moves: boolean; readonly replaces: boolean }

/**
 * Decides what happens to the document of an item. A text that was edited here is never overwritten unless the caller
 * asks for that; a document that was deleted here stays in the trash until the source changes; one that was moved here
 * stays where it is.
 *
 * @param document The document of the item, live or in the trash; null when there is none.
 */
export const planItem = (
  item: Pick<ExternalItem, "path" | "contentHash" | "isRemoved"> | null,
  document: Pick<Document, "path" | "contentHash" | "deletedAt"> | null,
  incoming: IncomingText,
  onConflict: OnConflict | null
): ItemPlan => {
  if (item === null || document === null) return { op: "create" }
  const isChanged = incoming.isReadAgain !== true && incoming.contentHash !== item.contentHash
  if (document.deletedAt !== null) return item.isRemoved || isChanged ? { op: "restore" } : { op: "settle" }
  const isSame = incoming.contentHash === document.contentHash
  const isEdited = document.contentHash !== item.contentHash && !isSame
  if (isEdited && isChanged && onConflict === null) return { op: "conflict" }
  const keepsText = isEdited && !(isChanged && onConflict === "source")
  const moves = follows(item, document, incoming)
  const replaces = !keepsText && (!isSame || incoming.isDescribedAnew)
  return moves || replaces ? { op: "update", moves, replaces } : { op: "settle" }
}

/** Whether the document is where the source had it, and the source has it elsewhere now. */
const follows = (
  item: Pick<ExternalItem, "path">,
  document: Pick<Document, "path">,
  { path }: IncomingText
): boolean => document.path === item.path && document.path !== path
