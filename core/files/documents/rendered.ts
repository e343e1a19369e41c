import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, type DocumentId, traced, type WorkspaceId } from "../../platform/kernel/index.js"
import { type DocumentReference, folderOf, pathIn, prepareHtml, stemOf } from "../markdown/index.js"
import { liveDocument } from "./file-write.js"
import { withContent } from "./service.js"
import { DocumentStore } from "./store.js"

/** Returns one document with its text, the text as HTML, and its passages. */
export const getRendered = traced("documents.getRendered")(function* (id: DocumentId) {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const document = yield* withContent(yield* liveDocument(id))
  const chunks = yield* store.chunks(workspace, id)
  return {
    ...document,
    html: yield* renderedHtml(document.content, document.path),
    passages: chunks.map(({ end, id: chunkId, start }) => ({ chunkId, start, end }))
  }
})

/**
 * Renders a text as HTML that runs nothing. Links between documents lead to their pages and images to files of the
 * vault, both relative to the address of the console.
 */
export const renderedHtml = traced("documents.render")(function* (content: string, path: string) {
  const { workspace } = yield* Caller
  const prepared = prepareHtml(content, path)
  const found = new Map<string, DocumentId | null>()
  for (const reference of prepared.references)
    found.set(keyOf(reference), yield* documentOf(reference, folderOf(path)))
  return prepared.render({
    document: (reference) => {
      const id = found.get(keyOf(reference)) ?? null
      return id === null ? null : `documents/${id}`
    },
    file: (file) => fileAddress(workspace, file)
  })
})

const keyOf = ({ kind, target }: DocumentReference): string => `${kind} ${target}`

/** The address of a file of the vault, relative to that of the console. */
const fileAddress = (workspace: WorkspaceId, path: string): string =>
  `console/files/${workspace}/${path.split("/").map(encodeURIComponent).join("/")}`

/** Returns the document that a link leads to: by path from the folder or the top, a wiki link also by name. */
const documentOf = Effect.fnUntraced(function* ({ kind, target }: DocumentReference, folder: string) {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const paths = [pathIn(folder, target), pathIn("", target)].flatMap((path) =>
    path === null ? [] : [path, `${path}.md`]
  )
  for (const path of new Set(paths)) {
    const found = yield* store.findByPath(workspace, path)
    if (Option.isSome(found)) return found.value.id
  }
  if (kind !== "wiki") return null
  const { items } = yield* store.list(workspace, { limit: 20, offset: 0 }, { q: target })
  const name = target.toLowerCase()
  const named = items.filter(
    ({ path, title }) => stemOf(path).toLowerCase() === name || title.toLowerCase() === name
  )
  const near = named.find(({ path }) => folderOf(path) === folder)
  return (near ?? named[0])?.id ?? null
})
