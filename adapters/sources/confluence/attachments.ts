import * as Effect from "effect/Effect"
import type { ItemAttachment, SourceFault } from "../../../core/sources/index.js"
import { attachmentNames, isLibraryFile } from "../item-path.js"
import type { Attachment, ConfluenceApi, Content } from "./api.js"

/** Attachments of one page that are read. */
const attachmentsMax = 50

/** The attachments of a page that become documents. */
export const readableAttachments = (content: Content): ReadonlyArray<Attachment> =>
  (content.children?.attachment?.results ?? [])
    .filter(({ title }) => isLibraryFile(title))
    .slice(0, attachmentsMax)

/** Downloads the attachments of a page; one that cannot be read is a warning. */
export const fetchAttachments = (
  api: ConfluenceApi,
  content: Content
): Effect.Effect<
  { readonly attachments: ReadonlyArray<ItemAttachment>; readonly warnings: ReadonlyArray<string> },
  SourceFault
> =>
  Effect.gen(function* () {
    const found = readableAttachments(content)
    const names = attachmentNames(found.map(({ title }) => title))
    const attachments: Array<ItemAttachment> = []
    const warnings: Array<string> = []
    for (const [at, { _links, title }] of found.entries()) {
      const { bytes, headers, ok, status } = yield* api.download(_links.download)
      if (ok) {
        const body = { bytes, mediaType: headers.get("content-type") }
        attachments.push({ name: names[at] ?? title, body, url: api.addressOf(content) })
      } else warnings.push(`The attachment ${title} was left out (status ${status}).`)
    }
    return { attachments, warnings }
  })
