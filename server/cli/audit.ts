import * as Effect from "effect/Effect"
import type { AuditPage, ChainReport } from "../../core/index.js"
import { type Failure, wrongUsage } from "./failure.js"
import type { CommonInput } from "./options.js"
import { withProgress } from "./progress.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, proseColumns, tableColumns } from "./terminal.js"
import { cleanLine, counted, table, wrap } from "./text.js"

type Wish = "action" | "actor" | "from" | "to" | "cursor"

export const list = (
  input: CommonInput & { readonly subject: string | undefined; readonly limit: number } & {
    readonly [Name in Wish]: string | undefined
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { action, actor, cursor, from, limit, subject, to } = input
      const page = yield* call(() =>
        engine.audit.list({
          limit,
          ...(action === undefined ? {} : { action }),
          ...(subject === undefined ? {} : { subjectId: subject }),
          ...(actor === undefined ? {} : { actor }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          ...(cursor === undefined ? {} : { cursor })
        })
      )
      yield* answer(input.json, page, () => told(page))
    })
  )

const told = ({ chain, items, nextCursor, total }: AuditPage): string => {
  if (items.length === 0) return "No events."
  const rows = items.map(({ action, activity, actor, at, subjectId }) => [
    `${at.slice(0, 10)} ${at.slice(11, 19)}`,
    cleanLine(action),
    cleanLine(actor),
    cleanLine(activity),
    cleanLine(subjectId)
  ])
  const columns = [
    { title: "when (UTC)" },
    { title: "what" },
    { title: "by", shrink: true },
    { title: "through", shrink: true },
    { title: "about" }
  ]
  const shown = table(columns, rows, tableColumns(), (cell, column, isTitle) =>
    isTitle || column !== 1 ? paint.dim(cell) : cell
  )
  const rest = nextCursor === null ? "" : `; older ones with --cursor ${nextCursor}`
  return [
    shown,
    paint.dim(`${items.length.toLocaleString("en")} of ${counted(total, "event")}${rest}`),
    ...(chain.verified
      ? []
      : [paint.red("These events are not as they were written: see 'kanon audit verify'.")])
  ].join("\n")
}

/** Checks the whole chain; exits 1 where something is wrong with it. */
export const verify = (
  input: CommonInput & { readonly head: string | undefined }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const kept = input.head?.toLowerCase()
    if (kept !== undefined && !/^[0-9a-f]{64}$/.test(kept))
      return yield* wrongUsage("--head takes a hash as 'kanon audit head' shows it: 64 hexadecimal digits.")
    yield* withWorkspace(input, { worker: false, mend: false }, ({ engine }) =>
      Effect.gen(function* () {
        const report = yield* withProgress({ silent: input.json, lines: true }, (onProgress) =>
          call(() =>
            engine.audit.verify({
              ...(kept === undefined ? {} : { head: kept }),
              onProgress: (progress) => onProgress({ phase: "doctor-audit", ...progress })
            })
          )
        )
        yield* answer(input.json, report, () => judged(report))
        if (!report.ok)
          yield* Effect.sync(() => {
            process.exitCode = 1
          })
      })
    )
  })

/** Findings that are shown to people. */
const shownMax = 20

const judged = ({ differences, events, findings, head, kept, ok }: ChainReport): string => {
  const checked = `${counted(events, "event")}, head ${head.hash}`
  if (ok)
    return [
      `${paint.green("The audit trail is whole.")}  ${paint.dim(checked)}`,
      ...(kept === null ? [] : [`The head that was kept is that of event ${kept.position}.`])
    ].join("\n")
  return [
    ...findings
      .slice(0, shownMax)
      .map(({ fault, id, message, position }) =>
        wrap(
          `${paint.red(fault)}  event ${position}${id === null ? "" : ` (${cleanLine(id)})`}: ${cleanLine(message)}`,
          proseColumns()
        )
      ),
    ...(differences > shownMax
      ? [paint.dim(`and ${(differences - shownMax).toLocaleString("en")} more`)]
      : []),
    "",
    `${paint.red("The audit trail was tampered with.")}  ${paint.dim(checked)}`
  ].join("\n")
}

export const head = (input: CommonInput): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const found = yield* call(() => engine.audit.head())
      yield* answer(input.json, found, () => `${found.hash}  ${paint.dim(counted(found.position, "event"))}`)
    })
  )
