import * as Effect from "effect/Effect"
import { z } from "zod"
import type { JudgeCorrection } from "../../core/evaluation/index.js"
import { operations } from "../../core/operations.js"
import { command, operationCommand } from "./command.js"
import { wrongUsage } from "./failure.js"
import { call, withWorkspace } from "./session.js"
import { listing, tableOf } from "./tables.js"
import { answer } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

const shown = (value: number | null | undefined): string =>
  typeof value === "number" ? value.toFixed(4) : ""

/** A figure that a judge found, raw and corrected. */
export const correctionText = ({
  corrected,
  interval,
  judge,
  labels,
  metric,
  raw
}: JudgeCorrection): string =>
  `${metric} by ${cleanLine(judge)}: raw ${shown(raw)}, ${
    corrected === null
      ? `not corrected, too few labels (${labels})`
      : `corrected ${shown(corrected)}${interval === null ? "" : ` [${shown(interval[0])}, ${shown(interval[1])}]`} by ${counted(labels, "label")}`
  }`

const claims = operationCommand("claims", operations.claimsToLabel, {
  description: "List claims of a run that no person has labelled, the most useful first.",
  arguments: { id: { name: "id", description: "Id of the run (evl_…)." } },
  print: ({ items, total }) =>
    listing(
      tableOf(
        items,
        {
          query: ({ queryId }: (typeof items)[number]) => queryId,
          claim: (one) => one.claim,
          verified: ({ verified }) => (verified ? "yes" : "no"),
          text: ({ text }) => text,
          cites: ({ citations }) => citations.map(({ chunkId, id }) => `${id} ${chunkId}`).join(", ")
        },
        { shrink: ["text"], right: ["claim"] }
      ),
      { total, offset: 0 },
      items.length,
      "claim"
    )
})

const label = command("label", {
  description: "Say whether what a claim cites supports it; the figures of the run are corrected by it.",
  input: z.object({
    id: z.string(),
    queryId: z.string().optional().describe("The topic."),
    claim: z.int().min(1).default(1).describe("Place of the claim in the answer"),
    supportedBy: z.string().optional().describe("Citations that together support it, with commas: S1,S2."),
    unsupported: z.boolean().default(false).describe("Nothing that it cites supports it.")
  }),
  arguments: { id: { description: "Id of the run (evl_…)." } },
  flags: { queryId: { placeholder: "ID" }, supportedBy: { placeholder: "LIST" } },
  run: (input) =>
    Effect.gen(function* () {
      const { claim, id, queryId, supportedBy } = input
      if (queryId === undefined) return yield* wrongUsage("A label needs --query-id ID.")
      if ((supportedBy === undefined) !== input.unsupported)
        return yield* wrongUsage("A label needs either --supported-by S1,S2 or --unsupported.")
      const citations = (supportedBy ?? "").split(",").filter((one) => one !== "")
      yield* withWorkspace(input, { worker: false }, ({ engine }) =>
        Effect.gen(function* () {
          const done = yield* call(() =>
            engine.call(operations.labelClaims, { id, labels: [{ queryId, claim, supportedBy: citations }] })
          )
          yield* answer(input.json, done, () =>
            [
              `${done.labelled} of ${done.claims} claims are labelled.`,
              ...done.judgeCorrections.map(correctionText)
            ].join("\n")
          )
        })
      )
    })
})

/** The labels of people for the claims of evaluation runs. */
export const evaluationClaims = [claims, label]
