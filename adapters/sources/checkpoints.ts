import * as Effect from "effect/Effect"
import type { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type IdPage
} from "../../core/connected/sources/index.js"

/** Reads a checkpoint of this version of the adapter. */
export const readCheckpoint = <Value>(
  schema: z.ZodType<Value>,
  checkpoint: Checkpoint
): Effect.Effect<Value, CheckpointExpired> => {
  const parsed = schema.safeParse(checkpoint)
  return parsed.success
    ? Effect.succeed(parsed.data)
    : Effect.fail(
        new CheckpointExpired({ message: "The checkpoint is not one of this version of the connector." })
      )
}

/** The ids of a page, for sources whose listing of changes names every item anyway. */
export const idsOf = ({ changes, checkpoint, failures, isLast }: ChangePage): IdPage => ({
  ids: changes.flatMap((change) => (change.op === "delete" ? [] : [change.externalId])),
  failures,
  next: isLast ? null : checkpoint
})
