import { z } from "zod"

/** Calls an operation by its id and returns the body of its answer. */
export type Call = (operationId: string, input?: Readonly<Record<string, unknown>>) => Promise<unknown>

export const Id = z.object({ id: z.string() })
export const idOf = (body: unknown) => Id.parse(body).id

export const DocId = z.object({ docId: z.string() })
export const Docs = z.object({ items: z.array(z.object({ id: z.string() })) })
