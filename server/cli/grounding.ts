import { text as textFrom } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type { GroundingReport } from "../../core/answers/answering/index.js"
import { operations } from "../../core/operations.js"
import { group, operationCommand } from "./command.js"
import { failed, wrongUsage } from "./failure.js"
import { paint, proseColumns } from "./terminal.js"
import { cleanLine, wrap } from "./text.js"
import { unmatchedWords } from "./unmatched.js"

/** Maximum length of a text, in UTF-16 units. */
const textMax = 20_000

const check = operationCommand("check", operations.checkGrounding, {
  description: "Check a text against the workspace: statement by statement, with the evidence for each.",
  arguments: {
    text: { optional: true, description: "The text; without it, or with -, the standard input is read." }
  },
  flags: {
    docIds: { name: "doc", placeholder: "ID", description: "Check against this document (doc_…) only." },
    entityIds: {
      name: "entity",
      placeholder: "ID",
      description: "Check against the passages that mention this entity (ent_…)."
    },
    policyMode: { name: "policy", description: "The mode of the gate." },
    judge: { description: "Whether to ask the judge model too; by default if one is enabled." }
  },
  prepare: (given) =>
    Effect.gen(function* () {
      const text = typeof given["text"] === "string" && given["text"] !== "-" ? given["text"] : yield* read
      if (text.trim() === "") return yield* wrongUsage("The text is empty.")
      if (text.length > textMax)
        return yield* wrongUsage(`The text has ${text.length} characters; at most ${textMax} are allowed.`)
      return { ...given, text }
    }),
  print: (report) => describe(report)
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

const describe = ({ claims, conflicts, groundedness, policy, sources }: GroundingReport): string => {
  if (claims.length === 0) return "There is no statement in this text."
  const cited = new Set(claims.flatMap(({ citations }) => citations))
  const width = Math.max(...claims.map(({ status }) => status.length))
  const indent = " ".repeat(width + 1)
  const lines = claims.map(({ citations, status, text, unmatched }) => {
    const ids = citations.map((id) => ` [${id}]`).join("")
    return `${marks[status](status.padEnd(width))} ${wrap(cleanLine(text) + ids + unmatchedWords(text, unmatched), proseColumns(), indent).trimStart()}`
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
    `${groundedness.verified} of ${groundedness.total} statements are supported${verdict}`
  )
  return [lines.join("\n"), ...(named.length > 0 ? [named.join("\n")] : []), ...disagreeing, count].join(
    "\n\n"
  )
}

export const groundingCommands = group(
  "grounding",
  "How well the workspace supports a text.",
  [check],
  "check"
)
