import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Caller, Ids } from "../kernel/index.js"
import { DocumentInspection } from "./inspection.js"
import type { Document } from "./model.js"
import { decodeContent } from "./parse-file.js"
import { Vault } from "./store.js"

/**
 * Returns the bytes of a trashed document: those of its file in the trash, else the stored ones; none when both are
 * lost.
 */
export const trashedText = ({ contentHash, id }: Pick<Document, "contentHash" | "id">) =>
  Effect.gen(function* () {
    const file = yield* (yield* Vault).readTrash(id)
    if (Option.exists(file, (bytes) => Either.isRight(decodeContent(bytes)))) return file
    const [inspection, ids, { workspace }] = [yield* DocumentInspection, yield* Ids, yield* Caller]
    const storedBytes = (yield* inspection.content(workspace, id)) ?? Option.none()
    return Option.filter(storedBytes, (bytes) => ids.sha256(bytes) === contentHash)
  })
