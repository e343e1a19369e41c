import * as Effect from "effect/Effect"
import type { DocumentVersionPage } from "../../core/documents/index.js"
import type { Engine } from "../../core/engine/engine.js"
import { DocumentId } from "../../core/kernel/index.js"
import type { Failure } from "./failure.js"
import type { CommonInput } from "./options.js"
import { type FilterInput, filterOf } from "./search.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, tableColumns } from "./terminal.js"
import { clean, cleanLine, counted, table } from "./text.js"

export const list = (
  input: CommonInput & FilterInput & { readonly limit: number; readonly offset: number }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { limit, offset } = input
      const page = yield* call(() => engine.documents.list({ limit, offset, ...filterOf(input) }))
      yield* answer(input.json, page, () => {
        const rows = page.items.map(({ id, path, title, updatedAt, version }) => [
          cleanLine(path),
          cleanLine(title),
          `${version}`,
          dayOf(updatedAt),
          id
        ])
        const columns = [
          { title: "path", shrink: true },
          { title: "title", shrink: true },
          { title: "version", align: "right" as const },
          { title: "updated" },
          { title: "id" }
        ]
        return listing(table(columns, rows, tableColumns(), paintCell), page, page.items.length, "document")
      })
    })
  )

export const show = (input: CommonInput & { readonly document: string }): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const found = yield* find(engine, input.document)
      yield* answer(input.json, found, () =>
        [
          paint.bold(cleanLine(found.title)),
          paint.dim(
            `${cleanLine(found.path)} · ${found.id} · version ${found.version} · ${dayOf(found.updatedAt)}`
          ),
          "",
          found.missing ? paint.yellow("The file cannot be read.") : clean(found.content).trimEnd()
        ].join("\n")
      )
    })
  )

export const versions = (
  input: CommonInput & {
    readonly document: string
    readonly number: number | undefined
    readonly limit: number
    readonly offset: number
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { limit, number: version, offset } = input
      const { id } = yield* find(engine, input.document)
      const asked = version === undefined ? { limit, offset } : { version }
      const found = yield* call(() => engine.documents.versions(id, asked))
      const [one] = found.items
      yield* answer(input.json, found, () =>
        one?.content === undefined
          ? listing(versionTable(found.items), { ...found, offset }, found.items.length, "version")
          : clean(one.content).trimEnd()
      )
    })
  )

const versionTable = (items: DocumentVersionPage["items"]): string => {
  const rows = items.map(({ changedBy, createdAt, origin, size, verification, version }) => [
    `${version}`,
    dayOf(createdAt),
    origin,
    cleanLine(changedBy),
    `${size}`,
    verification
  ])
  const columns = [
    { title: "version", align: "right" as const },
    { title: "made" },
    { title: "origin" },
    { title: "by", shrink: true },
    { title: "bytes", align: "right" as const },
    { title: "verification" }
  ]
  return table(columns, rows, tableColumns(), paintCell)
}

export const move = (
  input: CommonInput & { readonly document: string; readonly path: string; readonly noRewriteLinks: boolean }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { id, path } = yield* find(engine, input.document)
      const done = yield* call(() =>
        engine.documents.move(id, input.path, { rewriteLinks: !input.noRewriteLinks })
      )
      const count = done.rewritten.length
      yield* answer(input.json, done, () =>
        [
          `${paint.green("Moved")} ${cleanLine(path)} to ${cleanLine(done.path)}`,
          ...(count === 0 ? [] : [paint.dim(`Links were rewritten in ${counted(count, "document")}.`)])
        ].join("\n")
      )
    })
  )

export const remove = (input: CommonInput & { readonly document: string }): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { id, path } = yield* find(engine, input.document)
      const done = yield* call(() => engine.documents.remove(id))
      yield* answer(input.json, done, () =>
        [
          `${paint.yellow("Removed")} ${cleanLine(path)}; its file is in the trash.`,
          paint.dim(`To have it back: kanon documents restore ${id}`)
        ].join("\n")
      )
    })
  )

export const restore = (input: CommonInput & { readonly id: string }): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const done = yield* call(() => engine.documents.restore(input.id))
      yield* answer(input.json, done, () => `${paint.green("Restored")} ${cleanLine(done.path)}`)
    })
  )

/** The document of an id, or at a path of the vault. */
export const find = (engine: Engine, idOrPath: string) =>
  call(() =>
    DocumentId.safeParse(idOrPath).success
      ? engine.documents.get(idOrPath)
      : engine.documents.getByPath(idOrPath)
  )

/** The day of an ISO timestamp. */
export const dayOf = (timestamp: string): string => timestamp.slice(0, 10)

/** Titles and ids of a table stand back. */
export const paintCell = (cell: string, column: number, isTitle: boolean): string =>
  isTitle ? paint.dim(cell) : column === 0 ? cell : paint.dim(cell)

/** A table with the place of its page in the whole list, or that there is nothing. */
export const listing = (
  rows: string,
  page: { readonly total: number; readonly offset: number },
  shownCount: number,
  one: string,
  many = `${one}s`
): string => {
  if (page.total === 0) return `No ${many}.`
  if (shownCount === 0) return `No more ${many}: there ${page.total === 1 ? "is" : "are"} ${page.total}.`
  const from = page.offset + 1
  const range = page.total === shownCount ? "" : `${from} to ${page.offset + shownCount} of `
  return `${rows}\n\n${paint.dim(`${range}${counted(page.total, one, many)}`)}`
}
