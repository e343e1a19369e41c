import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parseDocument } from "yaml"
import { z } from "zod"
import { QueryFile } from "../../core/connected/livedata/index.js"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import { command } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { call, withWorkspace } from "./session.js"
import { tableOf } from "./tables.js"
import { answer, paint } from "./terminal.js"
import { cleanLine } from "./text.js"

type FileQuery = z.output<typeof QueryFile>["queries"][number]

const input = z.object({ file: z.string().describe("A YAML file with queries.") })

/** The queries of a file; what is wrong with it is told with its place. */
const readQueryFile = (file: string): Effect.Effect<ReadonlyArray<FileQuery>, Failure> =>
  Effect.gen(function* () {
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: () => failed("file_unavailable", `${file} cannot be read.`)
    })
    const document = parseDocument(text, { schema: "core", uniqueKeys: true })
    const [error] = document.errors
    if (error !== undefined) return yield* wrongUsage(`${file}: ${cleanLine(error.message)}`)
    const read = QueryFile.safeParse(document.toJS({ maxAliasCount: 100 }))
    if (!read.success) {
      const [issue] = read.error.issues
      return yield* wrongUsage(`${file}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it is wrong"}`)
    }
    const slugs = read.data.queries.map(({ slug }) => slug)
    const twice = slugs.find((slug, at) => slugs.indexOf(slug) !== at)
    return twice === undefined
      ? read.data.queries
      : yield* wrongUsage(`${file}: the query ${twice} stands in it twice.`)
  })

/** Returns the operation's input for a query of a file. */
const putInput = Effect.fnUntraced(function* (
  engine: Engine,
  { columns: _, connector, ...query }: FileQuery
) {
  const { items } = yield* call(() => engine.call(operations.listDataConnectors, {}))
  const found = items.find(({ id, name }) => name === connector || id === connector)
  return found === undefined
    ? yield* failed(
        "not_found",
        `The query ${query.slug} names the connector ${connector}, which is not there.`
      )
    : { ...query, connectorId: found.id }
})

export const applyCommand = command("apply", {
  description: "Publish the queries of a YAML file; what is published already stays as it is.",
  input,
  arguments: { file: {} },
  run: function* ({ file, ...rest }) {
    const queries = yield* readQueryFile(file)
    yield* withWorkspace(rest, function* ({ engine }) {
      const applied = yield* Effect.forEach(queries, (query) =>
        Effect.gen(function* () {
          const before = yield* Effect.option(
            call(() => engine.call(operations.getDataQuery, { slug: query.slug }))
          )
          const given = yield* putInput(engine, query)
          const put = yield* call(() => engine.call(operations.putDataQuery, given))
          const revision = "revision" in put ? put.revision : 0
          const was = before._tag === "Some" ? before.value.revision : 0
          const done = was === 0 ? "published" : was === revision ? "unchanged" : "changed"
          return { slug: query.slug, done, revision }
        })
      )
      return {
        output: { queries: applied },
        text: () => tableOf(applied, [["query", "slug"], "done", "revision"])
      }
    })
  }
})

export const checkCommand = command("check", {
  description:
    "Try the queries of a YAML file against their databases; exits with 1 where one is refused or drifted.",
  input,
  arguments: { file: {} },
  run: function* ({ file, ...rest }) {
    const queries = yield* readQueryFile(file)
    yield* withWorkspace(rest, function* ({ engine }) {
      const checked = yield* Effect.forEach(queries, (query) => checkQuery(engine, query))
      const isSound = checked.every(({ problems }) => problems.length === 0)
      const text = () =>
        tableOf(
          checked,
          [
            ["query", "slug"],
            ["result", ({ problems }) => (problems.length === 0 ? "ok" : problems.join(" "))]
          ],
          { paint: { result: (cell) => (cell.trim() === "ok" ? paint.green(cell) : paint.red(cell)) } }
        )
      yield* answer(rest.json, { ok: isSound, queries: checked }, text)
      if (!isSound) return yield* failed("drift", "The queries do not fit their databases.")
    })
  }
})

const checkQuery = Effect.fnUntraced(function* (engine: Engine, query: FileQuery) {
  const tried = yield* Effect.either(
    Effect.flatMap(putInput(engine, query), (given) =>
      call(() => engine.call(operations.putDataQuery, { ...given, dryRun: true }))
    )
  )
  if (Either.isLeft(tried)) return { slug: query.slug, problems: [cleanLine(tried.left.message)] }
  const found = "plan" in tried.right ? tried.right.columns : []
  const published = yield* Effect.option(
    call(() => engine.call(operations.getDataQuery, { slug: query.slug }))
  )
  const before =
    published._tag === "Some" && published.value.sql === query.sql ? published.value.columns : null
  const problems = [
    ...(query.columns === undefined
      ? []
      : driftOf(
          query.columns,
          found.map(({ name }) => name)
        )),
    ...(before === null
      ? []
      : driftOf(
          before.map(({ name, type }) => `${name} ${type}`),
          found.map(({ name, type }) => `${name} ${type}`)
        ))
  ]
  return { slug: query.slug, problems }
})

/** Columns that went away, and columns that came. */
const driftOf = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const gone = before.filter((one) => !after.includes(one))
  const come = after.filter((one) => !before.includes(one))
  return [
    ...(gone.length === 0 ? [] : [`Columns that are gone: ${gone.join(", ")}.`]),
    ...(come.length === 0 ? [] : [`Columns that are new: ${come.join(", ")}.`])
  ]
}
