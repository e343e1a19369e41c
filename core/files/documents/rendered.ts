import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  Caller,
  type DocumentId,
  traced,
  type WorkspaceId,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import {
  type DocumentReference,
  draftHtml,
  fillHtml,
  folderOf,
  type HtmlDraft,
  pathIn,
  plainBlocks,
  stemOf
} from "../markdown/index.js"
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
    html: (yield* rendered(document.content, document.path)).html,
    passages: chunks.map(({ end, id: chunkId, start }) => ({ chunkId, start, end }))
  }
})

/**
 * Renders long texts away from the main thread, within a time and some memory; none when either runs out. Without an
 * implementation they are rendered in place.
 */
export class LongTextRenderer extends Context.Tag("kanon/LongTextRenderer")<
  LongTextRenderer,
  {
    readonly draft: (
      workspace: WorkspaceId,
      ...given: Parameters<typeof draftHtml>
    ) => Effect.Effect<Option.Option<HtmlDraft>>
  }
>() {}

/** Length in UTF-16 units from which a text is long; whatever a shorter one holds, it takes some hundredths of a second. */
const longChars = 8 * 1024

const draftOf = Effect.fnUntraced(function* (content: string, path: string) {
  const elsewhere =
    content.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongTextRenderer))
  if (elsewhere === null) return draftHtml(content, path)
  const { workspace } = yield* Caller
  return Option.getOrNull(yield* elsewhere.draft(workspace, content, path))
})

/** Returns a text as it is written, in blocks. */
const plainHtml = Effect.fnUntraced(function* (content: string) {
  const turn = yieldToEventLoop()
  const blocks: Array<string> = []
  for (const block of plainBlocks(content)) {
    blocks.push(block)
    yield* turn
  }
  return blocks.join("")
})

/**
 * Renders a text as HTML that runs nothing, and returns its title beside that. Links between documents lead to their
 * pages and images to files of the vault, relative to the console and to `/api/v1`. A text that takes too long to
 * render is shown as it is written, without a title.
 */
export const rendered = traced("documents.render")(function* (content: string, path: string) {
  const draft = yield* draftOf(content, path)
  if (draft === null) return { html: yield* plainHtml(content), title: null }
  const found = new Map<string, DocumentId | null>()
  for (const reference of draft.references)
    found.set(keyOf(reference), yield* documentOf(reference, folderOf(path)))
  const html = fillHtml(draft, {
    document: (reference) => {
      const id = found.get(keyOf(reference)) ?? null
      return id === null ? null : `documents/${id}`
    },
    file: fileAddress
  })
  return { html, title: draft.title }
})

const keyOf = ({ kind, target }: DocumentReference): string => `${kind} ${target}`

/** The address of a file of the vault, relative to the API: its reader prefixes the way in. */
const fileAddress = (path: string): string => `files?path=${encodeURIComponent(path)}`

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
