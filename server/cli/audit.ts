import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import type { ChainReport } from "../../core/platform/audit/index.js"
import { defined } from "../../core/platform/kernel/index.js"
import { command, group, noInput, operationCommand } from "./command.js"
import { wrongUsage } from "./failure.js"
import { textFlag } from "./flags.js"
import { withProgress } from "./progress.js"
import { call, withWorkspace } from "./session.js"
import { tableOf, timeOf } from "./tables.js"
import { answer, paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

const list = operationCommand("list", operations.listAuditEvents, {
  description: "List who did what, newest first.",
  flags: {
    limit: { description: "Maximum number of events to list", range: { from: 1, to: 200, default: 50 } },
    cursor: { placeholder: "ID", description: "Continue after this event: the next cursor of a page." },
    action: { description: "Only this action, such as document.replace." },
    subjectId: { name: "subject", description: "Only events of this document, entity or other subject." },
    actor: { placeholder: "ID", description: "Only events of this key or member, of local or of system." }
  },
  omit: ["format"],
  print: ({ chain, items, nextCursor, total }) => {
    if (items.length === 0) return "No events."
    const shown = tableOf(
      items,
      [
        ["time (UTC)", ({ at }) => timeOf(at)],
        "action",
        ["by", "actor"],
        ["through", "activity"],
        ["subject", "subjectId"]
      ],
      { shrink: ["by", "through"], paint: { "time (UTC)": paint.dim, action: (cell) => cell } }
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
})

const verify = command("verify", {
  description: "Verify the whole audit trail, and name whatever was changed, removed, inserted or moved.",
  input: z.object({
    head: textFlag("A head that was stored elsewhere: the trail must still contain it.", "HASH")
  }),
  run: function* (input) {
    const head = input.head?.toLowerCase()
    if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
      return yield* wrongUsage("--head takes a hash as 'kanon audit head' shows it: 64 hexadecimal digits.")
    yield* withWorkspace({ ...input, mend: false }, function* ({ engine }) {
      const report = yield* withProgress({ silent: input.json, lines: true }, (onProgress) =>
        call(() =>
          engine.audit.verify({
            ...defined({ head }),
            onProgress: (progress) => onProgress({ phase: "doctor-audit", ...progress })
          })
        )
      )
      yield* answer(input.json, report, () => describeReport(report))
      if (!report.ok)
        yield* Effect.sync(() => {
          process.exitCode = 1
        })
    })
  }
})

const head = command("head", {
  description: "Show the hash of the newest event, to be stored elsewhere.",
  input: noInput,
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const found = yield* call(() => engine.audit.head())
      return { output: found, text: () => `${found.hash}  ${paint.dim(counted(found.position, "event"))}` }
    })
})

/** Number of findings that are shown to people. */
const shownMax = 20

const describeReport = ({ differences, events, findings, head, kept, ok }: ChainReport): string => {
  const checked = `${counted(events, "event")}, head ${head.hash}`
  if (ok)
    return [
      `${paint.green("The audit trail is intact.")}  ${paint.dim(checked)}`,
      ...(kept === null ? [] : [`The stored head is that of event ${kept.position}.`])
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

export const auditCommands = group(
  "audit",
  "Who did what, newest first by default: a trail that shows when it was tampered with.",
  [list, verify, head],
  "list"
)
