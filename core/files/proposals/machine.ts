import * as Either from "effect/Either"
import { NotOpen, stepOf } from "../../platform/kernel/index.js"
import type { ProposedDocument } from "../documents/index.js"
import { type ProposalTrigger, proposalTable } from "./states.js"

/** Who decided about a proposed document, when, and what they said. */
export interface Decision {
  readonly by: string
  readonly at: string
  readonly note: string | null
}

/** Returns the proposed document after a trigger; NotOpen where its state does not allow it. Pure. */
export const decideProposal = (
  before: ProposedDocument,
  trigger: ProposalTrigger,
  { at, by, note }: Decision
): Either.Either<ProposedDocument, NotOpen> => {
  const step = stepOf(proposalTable, before.status, trigger)
  if (step === null) return Either.left(new NotOpen({ status: before.status, what: "proposal" }))
  return Either.right({ ...before, status: step.to, reviewedBy: by, reviewedAt: at, reviewNote: note })
}
