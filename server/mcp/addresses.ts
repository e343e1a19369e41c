import * as Context from "effect/Context"

/** A document, and the passage at which it is to be opened where there is one. */
interface Place {
  readonly id: string
  readonly chunkId?: string
  /** Where the original can be opened. */
  readonly sourceUrl?: string | null | undefined
}

/** The resource of this server that is a document. */
export const documentUri = (id: string): string => `svc://documents/${id}`

/**
 * Where people open a document: at the address of its source, else on its page of the console below `consoleUrl`. Where
 * no console is served, only the assistant can open it, as a resource.
 */
export const addressIn =
  (consoleUrl: string | null) =>
  ({ chunkId, id, sourceUrl }: Place): string => {
    // What a source gives becomes a link in front of people.
    if (sourceUrl != null && /^https?:\/\//iu.test(sourceUrl)) return sourceUrl
    if (consoleUrl === null) return documentUri(id)
    const page = `${consoleUrl.replace(/\/+$/u, "")}/documents/${id}`
    return chunkId === undefined ? page : `${page}?chunk=${chunkId}`
  }

/** Gives the address of a document for people; by default that of its resource. */
export class AddressOf extends Context.Reference<AddressOf>()("kanon/AddressOf", {
  defaultValue: () => addressIn(null)
}) {}
