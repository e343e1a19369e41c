import { createTwoFilesPatch } from "diff"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { operations } from "../../operations.js"
import type { ToolPreview } from "../../work/agent-runs/index.js"
import type { OperationNeeds } from "./operation-tools.js"

const Replaced = z.object({ id: z.string(), content: z.string() })
const Created = z.object({
  path: z.string().optional(),
  content: z.string().optional(),
  title: z.string().optional()
})
const Proposed = z.object({ kind: z.string(), entityId: z.string().optional(), payload: z.unknown() })

/** Returns what a call would change. Reads without scope checks, because only people who may approve see it. */
export const previewOf = (name: string, given: unknown): Effect.Effect<ToolPreview, never, OperationNeeds> =>
  Effect.gen(function* () {
    if (name === "svc_replace_document") {
      const read = Replaced.safeParse(given)
      if (!read.success) return nothing
      const { content, id } = read.data
      const document = yield* Effect.option(operations.getDocument.run({ id: documentId(id) }))
      return Option.match(document, {
        onNone: () => ({ targets: { [id]: "missing" }, diff: null }),
        onSome: (found) => ({
          targets: { [id]: String(found.version) },
          diff: createTwoFilesPatch(found.path, found.path, found.content, content)
        })
      })
    }
    if (name === "svc_create_document") {
      const { content = "", path, title = "" } = Created.catch({}).parse(given)
      const at = path ?? title
      return { targets: {}, diff: createTwoFilesPatch("(new)", at, "", content) }
    }
    if (name === "svc_propose_change") {
      const read = Proposed.safeParse(given)
      if (!read.success) return nothing
      const { entityId, payload } = read.data
      const after = `${JSON.stringify(payload ?? {}, null, 2)}\n`
      if (entityId === undefined)
        return { targets: {}, diff: createTwoFilesPatch("(new)", read.data.kind, "", after) }
      const entity = yield* Effect.option(
        operations.getEntity.run({ id: operations.getEntity.input.shape.id.parse(entityId) })
      ).pipe(Effect.catchAllDefect(() => Effect.succeed(Option.none())))
      if (Option.isNone(entity)) return { targets: { [entityId]: "missing" }, diff: null }
      const { aliases, curation, description, name: entityName, type } = entity.value
      const before = `${JSON.stringify({ name: entityName, type, aliases, description }, null, 2)}\n`
      return {
        targets: { [entityId]: String(curation.version) },
        diff: createTwoFilesPatch(entityId, read.data.kind, before, after)
      }
    }
    return nothing
  })

const nothing: ToolPreview = { targets: {}, diff: null }
const documentId = (id: string) => operations.getDocument.input.shape.id.parse(id)
