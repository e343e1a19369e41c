import { text as textFrom } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type { GroundingReport } from "../../core/index.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, proseColumns } from "./terminal.js"
import { cleanLine, wrap } from "./text.js"

/** The contract's bound, in UTF-16 units. */
const textMax = 20_000

/** Checks a text against the workspace. */
export const check = (
  input: CommonInput & {
    readonly text: string | undefined
    readonly doc: ReadonlyArray<string> | undefined
    readonly entity: ReadonlyArray<string> | undefined
    readonly policy: "off" | "shadow" | "enforce" | undefined
    readonly judge: "yes" | "no" | undefined
  }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { doc, entity, judge, policy } = input
    const text = input.text === undefined || input.text === "-" ? yield* read : input.text
    if (text.trim() === "") return yield* wrongUsage("The text is empty.")
    if (text.length > textMax)
      return yield* wrongUsage(`The text has ${text.length} characters; at most ${textMax} are allowed.`)
    yield* withWorkspace(input, { worker: false }, ({ engine }) =>
      Effect.gen(function* () {
        const report = yield* call(() =>
          engine.grounding.check(text, {
            ...(doc === undefined ? {} : { docIds: doc }),
            ...(entity === undefined ? {} : { entityIds: entity }),
            ...(policy === undefined ? {} : { policyMode: policy }),
            ...(judge === undefined ? {} : { judge: judge === "yes" })
          })
        )
        yield* answer(input.json, report, () => shown(report))
      })
    )
  })

const read = Effect.tryPromise({
  try: () => textFrom(process.stdin),
  catch: (error) =>
    failed(
      "file_unavailable",
      `The standard input cannot be read: ${error instanceof Error ? error.message : error}`
    )
})

type Status = GroundingReport["claims"][number]["status"]

const marks: Readonly<Record<Status, (text: string) => string>> = {
  supported: paint.green,
  partly: paint.yellow,
  contradicted: paint.red,
  unsupported: paint.red
}

const shown = ({ claims, conflicts, groundedness, policy, sources }: GroundingReport): string => {
  if (claims.length === 0) return "There is no statement in this text."
  const cited = new Set(claims.flatMap(({ citations }) => citations))
  const width = Math.max(...claims.map(({ status }) => status.length))
  const indent = " ".repeat(width + 1)
  const lines = claims.map(({ citations, status, text }) => {
    const ids = citations.map((id) => ` [${id}]`).join("")
    return `${marks[status](status.padEnd(width))} ${wrap(cleanLine(text) + ids, proseColumns(), indent).trimStart()}`
  })
  const named = sources
    .filter(({ id }) => cited.has(id))
    .map(
      ({ docPath, docTitle, id }) =>
        `${paint.cyan(`[${id}]`)} ${cleanLine(docTitle)} ${paint.dim(cleanLine(docPath))}`
    )
  const disagreeing = conflicts.map(({ attribute, reason, sides, subject }) =>
    paint.yellow(
      wrap(
        `! The sources disagree about ${cleanLine(`${subject}, ${attribute}`)}: ${sides
          .map(({ sourceId, value }) => `${cleanLine(value)} [${sourceId}]`)
          .join(", ")}. ${cleanLine(reason)}`,
        proseColumns()
      )
    )
  )
  const verdict = policy.mode === "off" ? "" : `, ${policy.verdict.replaceAll("_", " ")}`
  const count = paint.dim(
    `${groundedness.verified} of ${groundedness.total} statements are carried${verdict}`
  )
  return [lines.join("\n"), ...(named.length > 0 ? [named.join("\n")] : []), ...disagreeing, count].join(
    "\n\n"
  )
}
