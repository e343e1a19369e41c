import * as Effect from "effect/Effect"
import {
  atomically,
  Caller,
  crashPoint,
  type DocumentId,
  NotFound,
  now,
  traced
} from "../../platform/kernel/index.js"
import { nextReview } from "../../platform/workspace/index.js"
import { changeTo, commitChanges } from "./commit.js"
import { liveDocument } from "./file-write.js"
import { decide } from "./machine.js"
import type { Document, DocumentVerification, Verification } from "./model.js"
import { refuseOthers } from "./verifier.js"

/**
 * Sets the verification status of a document for its indexed text. Setting the same status renews its stamps. Row,
 * audit event and announcement are one unit of work.
 */
export const verifyDocument = traced("documents.verify")(function* (
  id: DocumentId,
  verification: Verification
) {
  const [{ actor, scopes, workspace }, at] = [yield* Caller, yield* now]
  const nextVerifyAt = yield* nextReview(at)
  const after = yield* atomically(
    Effect.gen(function* () {
      const before = yield* liveDocument(id)
      // An administrator takes over where the verifier cannot decide.
      if (scopes?.includes("workspace:admin") !== true) yield* refuseOthers(before)
      const command = { _tag: "Verify", verification, by: actor, nextVerifyAt } as const
      const decided = yield* decide(before, command, at).pipe(
        Effect.mapError(() => new NotFound({ what: "document" }))
      )
      const details = {
        verification: { from: before.verification, to: decided.verification },
        nextVerifyAt: decided.nextVerifyAt
      }
      yield* commitChanges(workspace, [{ ...changeTo(before, decided, null, "document.verify"), details }])
      yield* crashPoint("document.verify.insideTransaction")
      return decided
    })
  )
  yield* crashPoint("document.verify.afterTransaction")
  return verificationOf(after)
})

const verificationOf = (document: Document): DocumentVerification => ({
  docId: document.id,
  verification: document.verification,
  verifiedBy: document.verifiedBy,
  verifiedAt: document.verifiedAt,
  nextVerifyAt: document.nextVerifyAt
})
