import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Caller, type DocumentId, Ids, NotFound, pastMoment, traced } from "../../platform/kernel/index.js"
import { passagesOf } from "./commit.js"
import { stateAt } from "./history.js"
import type { DocumentWithContent } from "./model.js"
import { decodeContent } from "./parse-file.js"
import { pastRow, pastText } from "./past.js"
import { rendered } from "./rendered.js"
import { shownSource, summary } from "./service.js"
import { DocumentStore } from "./store.js"

/**
 * Returns a document as it stood at an earlier moment: the version that was current then, also of a document that is in
 * the trash now. `missing` when retention has erased that text. NotFound when it did not exist then, or was purged.
 */
export const getDocumentAt = traced("documents.getAt")(function* (
  id: DocumentId,
  asOf: string,
  render: "none" | "html" = "none"
) {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const at = yield* pastMoment(asOf)
  const present = Option.getOrNull(yield* store.find(workspace, id))
  const state = yield* stateAt(workspace, id, at)
  if (present === null || state === null || !state.isLive) return yield* new NotFound({ what: "document" })
  const text = Option.getOrNull(yield* pastText(workspace, present, state))
  const content = text === null ? "" : Either.getOrElse(decodeContent(text.bytes), () => "")
  const row = pastRow(present, state, text)
  const shown: DocumentWithContent = {
    ...summary(row),
    ...(text === null ? { contentHash: "" } : {}),
    source: shownSource(row),
    content,
    missing: text === null,
    asOf
  }
  if (render === "none") return shown
  const passages = passagesOf(yield* Ids, id, text?.passages ?? [])
  return {
    ...shown,
    html: (yield* rendered(content, row.path)).html,
    passages: passages.map(({ end, id: chunkId, start }) => ({ chunkId, start, end }))
  } satisfies DocumentWithContent
})
