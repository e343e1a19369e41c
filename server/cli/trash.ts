import * as Effect from "effect/Effect"
import type { TrashItem, TrashKind } from "../../core/trash/index.js"
import { dayOf, listing } from "./documents.js"
import type { Failure } from "./failure.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, tableColumns } from "./terminal.js"
import { cleanLine, table } from "./text.js"

export const list = (
  input: CommonInput & {
    readonly kind: TrashKind | undefined
    readonly limit: number
    readonly offset: number
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { kind, limit, offset } = input
      const page = yield* call(() =>
        engine.trash.list({ limit, offset, ...(kind === undefined ? {} : { kind }) })
      )
      yield* answer(input.json, page, () => {
        if (page.total === 0)
          return `${kind === undefined ? "The trash is empty" : `No ${wordsOf(kind)} is in the trash`}.`
        const rows = page.items.map((item) => [
          cleanLine(item.label),
          wordsOf(item.kind),
          dayOf(item.deletedAt),
          cleanLine(item.deletedBy ?? ""),
          item.id,
          obstacleOf(item)
        ])
        const columns = [
          { title: "what", shrink: true },
          { title: "kind" },
          { title: "deleted" },
          { title: "by" },
          { title: "id" },
          { title: "in the way" }
        ]
        const shown = table(columns, rows, tableColumns(), paintTrash)
        return listing(shown, { total: page.total, offset }, page.items.length, "item")
      })
    })
  )

export const restore = (
  input: CommonInput & { readonly id: string; readonly path: string | undefined }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const done = yield* call(() => engine.trash.restore(input.id, input.path))
      yield* answer(input.json, done, () => `${paint.green("Restored")} the ${wordsOf(done.kind)} ${done.id}`)
    })
  )

const wordsOf = (kind: TrashKind): string => kind.replaceAll("_", " ")

const obstacleOf = ({ blockedBy, kind, restorable }: TrashItem): string => {
  if (restorable) return ""
  return blockedBy ?? (kind === "document" ? "a file at its path" : "no document states it")
}

const obstacleColumn = 5

const paintTrash = (cell: string, column: number, isTitle: boolean): string =>
  isTitle
    ? paint.dim(cell)
    : column === obstacleColumn
      ? paint.yellow(cell)
      : column === 0
        ? cell
        : paint.dim(cell)
