import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Caller, Ids } from "../../platform/kernel/index.js"
import type { Document } from "./model.js"
import { decodeContent } from "./parse-file.js"
import { DocumentStore, Vault } from "./store.js"

/** The bytes of a document in the trash: those of its file there, else the kept ones; none where both are lost. */
export const trashedText = ({
  contentHash,
  file: converted,
  id
}: Pick<Document, "contentHash" | "file" | "id">) =>
  Effect.gen(function* () {
    const file = yield* (yield* Vault).readTrash(id)
    // The kept text does not give the original back.
    if (converted !== undefined) return file
    if (Option.exists(file, (bytes) => Either.isRight(decodeContent(bytes)))) return file
    const [inspection, ids, { workspace }] = [(yield* DocumentStore).inspection, yield* Ids, yield* Caller]
    const storedBytes = (yield* inspection.content(workspace, id)) ?? Option.none()
    return Option.filter(storedBytes, (bytes) => ids.sha256(bytes) === contentHash)
  })
