import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Contradiction } from "../../core/answers/contradictions/index.js"
import { operations } from "../../core/operations.js"
import { command, group, operationCommand } from "./command.js"
import { Failure } from "./failure.js"
import { switchFlag } from "./flags.js"
import { call, ingestFiles, withWorkspace } from "./session.js"
import { dayOf } from "./tables.js"
import { paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

const { limit, status } = operations.listContradictions.input.shape

const list = command("list", {
  description: "Find statements of documents that contradict each other, and list them.",
  input: z.object({
    status,
    limit,
    failOn: z.int().min(1).optional(),
    noSync: switchFlag("List what is known, without reading changed files or comparing anything.")
  }),
  flags: {
    status: { description: "List those of this status; open ones by default." },
    failOn: {
      placeholder: "N",
      description: "Exit with 1 when N or more are open, for continuous integration."
    }
  },
  run: function* (input) {
    const open = yield* listed(input)
    if (input.failOn === undefined || open < input.failOn) return
    return yield* new Failure({
      code: "contradictions_found",
      message: `${counted(open, "contradiction is", "contradictions are")} open; --fail-on ${input.failOn}.`,
      exitCode: 1
    })
  }
})

interface ListInput {
  readonly json: boolean
  readonly limit: number
  readonly noSync: boolean
  readonly status?: z.infer<typeof status>
}

/** Prints the list and returns how many are open. */
const listed = (input: ListInput & Parameters<typeof withWorkspace>[0]) =>
  Effect.gen(function* () {
    let open = 0
    // An ingest waits for its jobs, so this process works on them.
    yield* withWorkspace({ ...input, worker: !input.noSync }, function* ({ engine, place }) {
      if (!input.noSync) {
        if (!place.fresh) yield* ingestFiles(engine, { json: input.json, lines: false })
        yield* call(() => engine.contradictions.find())
      }
      open = (yield* call(() => engine.contradictions.list({ status: "open", limit: 1 }))).total
      const output = yield* call(() =>
        engine.contradictions.list({ status: input.status ?? "open", limit: input.limit })
      )
      return { output, text: () => describe(output.items, output.total) }
    })
    return open
  })

const describe = (items: ReadonlyArray<Contradiction>, total: number): string =>
  items.length === 0
    ? "No contradictions."
    : [...items.map(blockOf), paint.dim(`${items.length} of ${counted(total, "contradiction")}`)].join("\n\n")

const blockOf = ({ attribute, id, reason, sides, status: state, subject }: Contradiction): string => {
  const about = [cleanLine(subject), cleanLine(attribute)].filter((word) => word !== "").join(", ")
  const values = sides.map(({ value }) => paint.yellow(cleanLine(value))).join(" ≠ ")
  return [
    `${paint.bold(about)}: ${values} ${paint.dim(id)}`,
    ...sides.map((side) =>
      [
        paint.dim(`  ${cleanLine(placeOf(side))} · ${side.standing} · ${dayOf(side.at)}`),
        wrap(cleanLine(side.quote.replace(/<[^>]*>/gu, "")).slice(0, quoteMaxChars), proseColumns(), "  │ ")
      ].join("\n")
    ),
    ...(state === "open" ? [] : [paint.dim(`  ${state.replace("_", " ")}: ${cleanLine(reason ?? "")}`)])
  ].join("\n")
}
const quoteMaxChars = 300

/** Where a side stands: the path of a document, or the query of a row and what it was executed for. */
const placeOf = (side: Contradiction["sides"][number]): string =>
  "docPath" in side ? side.docPath : `${side.queryTitle}: ${side.about} (live data)`

const settle = operationCommand("settle", operations.settleContradiction, {
  description: "End an open contradiction, and say why.",
  arguments: {
    id: { description: "Id of the contradiction (ctr_…)." },
    status: { description: "both_true or settled." },
    reason: { description: "Why both are true, or how it was settled." }
  },
  acting: true,
  print: ({ id, status: state }) => `${paint.green(id)} is ${state.replace("_", " ")}.`
})

export const contradictionCommands = group(
  "contradictions",
  "Statements of documents that contradict each other.",
  [list, settle],
  "list"
)
