import type { StateTable } from "../../platform/kernel/index.js"
import { ProposalStatus } from "../documents/index.js"

/** Triggers that change the status of a proposed document. */
export type ProposalTrigger = "approve" | "reject" | "withdraw" | "outdate"

/** State transitions of a proposed document. */
export const proposalTable: StateTable<ProposalStatus, ProposalTrigger> = {
  name: "Proposed document",
  states: ProposalStatus.options,
  initial: ["open"],
  refusedWith: "NotOpen",
  triggers: {
    approve: "A person accepts it.",
    reject: "A person declines it.",
    withdraw: "It is taken back, or the same topic is compiled again.",
    outdate: "One of its sources changed or was deleted."
  },
  steps: [
    {
      from: "open",
      on: "approve",
      to: "approved",
      when: "Its path is free, or the page still has the version that the proposal was made for; and no other member verified it.",
      otherwise: "409 `conflict`, 409 `reviewer_required`; it stays open.",
      also: "The page is written, moved or deleted."
    },
    { from: "open", on: "reject", to: "rejected" },
    { from: "open", on: "withdraw", to: "withdrawn" },
    { from: "open", on: "outdate", to: "stale", also: "A new proposal takes its place." },
    { from: "approved", on: "outdate", to: "stale", also: "A proposal with the difference waits." }
  ]
}
