import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { z } from "zod"

/** Acknowledges a soft deletion. */
export const DeleteAck = z.object({ deleted: z.boolean(), id: z.string() })
export type DeleteAck = z.infer<typeof DeleteAck>

/** Metadata of a reply that is not part of its body. */
export interface ReplyNotes {
  /** The persisted answer (`ans_…`). */
  readonly answerId: string
}

/** Receives the metadata of a reply, for transports that can carry it. Ignored by default. */
export class ReplyNote extends Context.Reference<ReplyNote>()("kanon/ReplyNote", {
  defaultValue:
    () =>
    (_notes: ReplyNotes): void =>
      undefined
}) {}

/** Adds metadata to the reply. */
export const noteReply = (notes: ReplyNotes): Effect.Effect<void> =>
  Effect.map(ReplyNote, (listener) => listener(notes))
