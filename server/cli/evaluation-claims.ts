import { z } from "zod"
import { operations } from "../../core/operations.js"
import type { JudgeCorrection } from "../../core/work/evaluation/index.js"
import { operationCommand } from "./command.js"
import { wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { listOf } from "./tables.js"
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
    listOf(
      "claim",
      items,
      { total },
      [
        ["query", "queryId"],
        "claim",
        "verified",
        "text",
        ["cites", ({ citations }) => citations.map(({ chunkId, id }) => `${id} ${chunkId}`).join(", ")]
      ],
      { shrink: ["text"], right: ["claim"] }
    )
})

const label = operationCommand("label", operations.labelClaims, {
  description: "Say whether what a claim cites supports it; the figures of the run are corrected by it.",
  form: z.object({
    id: z.string(),
    queryId: textFlag("The topic.", "ID"),
    claim: z.int().min(1).default(1).describe("Place of the claim in the answer"),
    supportedBy: textFlag("Citations that together support it, with commas: S1,S2.", "LIST"),
    unsupported: switchFlag("Nothing that it cites supports it.")
  }),
  arguments: { id: { description: "Id of the run (evl_…)." } },
  toInput: function* ({ claim, id, queryId, supportedBy, unsupported }) {
    if (queryId === undefined) return yield* wrongUsage("A label needs --query-id ID.")
    if ((supportedBy === undefined) !== unsupported)
      return yield* wrongUsage("A label needs either --supported-by S1,S2 or --unsupported.")
    const citations = (supportedBy ?? "").split(",").filter((one) => one !== "")
    return { id, labels: [{ queryId, claim, supportedBy: citations }] }
  },
  print: ({ claims, judgeCorrections, labelled }) =>
    [`${labelled} of ${claims} claims are labelled.`, ...judgeCorrections.map(correctionText)].join("\n")
})

/** The labels of people for the claims of evaluation runs. */
export const evaluationClaims = [claims, label]
