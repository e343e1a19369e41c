import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { z } from "zod"

/** Acknowledges a soft deletion. */
export const DeleteAck = z.object({ deleted: z.boolean(), id: z.string() })
export type DeleteAck = z.infer<typeof DeleteAck>

/** What a reply says beside its body. */
export interface ReplyNotes {
  /** The persisted answer (`ans_…`). */
  readonly answerId: string
}

/** Told of what a reply is to say beside its body, for doors that have a place for it; by default nobody listens. */
export class ReplyNote extends Context.Reference<ReplyNote>()("kanon/ReplyNote", {
  defaultValue:
    () =>
    (_notes: ReplyNotes): void =>
      undefined
}) {}

/** Has the reply say this beside its body. */
export const noteReply = (notes: ReplyNotes): Effect.Effect<void> =>
  Effect.map(ReplyNote, (listener) => listener(notes))
