import { z } from "zod"

/** Acknowledges a soft deletion. */
export const DeleteAck = z.object({ deleted: z.boolean(), id: z.string() })
export type DeleteAck = z.infer<typeof DeleteAck>
