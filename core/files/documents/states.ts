import { type StateTable, stepOf, stepsFrom } from "../../platform/kernel/index.js"
import { Verification } from "./model.js"

/** Triggers of a verification change: a new status, or a replaced text. */
export type VerificationTrigger = Verification | "replace"

const stamped = "verifiedBy and verifiedAt are set again, nextVerifyAt is reviewIntervalDays later."
const cleared = "The stamps are cleared."

/** Verification status of a document's text. A new text resets it, except for a deprecation. */
export const verificationTable: StateTable<Verification, VerificationTrigger> = {
  name: "Document verification",
  states: Verification.options,
  initial: ["unverified"],
  triggers: {
    unverified: "The verification is withdrawn.",
    verified: "The document is verified.",
    certified: "The document is certified.",
    deprecated: "The document is deprecated.",
    replace: "The text is replaced."
  },
  steps: [
    ...(["verified", "certified"] as const).flatMap((to) =>
      stepsFrom<Verification, VerificationTrigger>(Verification.options, { on: to, to, also: stamped })
    ),
    ...(["unverified", "deprecated"] as const).flatMap((to) =>
      stepsFrom<Verification, VerificationTrigger>(Verification.options, { on: to, to, also: cleared })
    ),
    ...(["verified", "certified"] as const).map((from) => ({
      from,
      on: "replace" as const,
      to: "unverified" as const,
      also: cleared
    })),
    ...(["unverified", "deprecated"] as const).map((from) => ({ from, on: "replace" as const, to: from }))
  ]
}

/** Returns the status after a trigger; every status accepts every trigger. */
export const verificationAfter = (from: Verification, on: VerificationTrigger): Verification =>
  stepOf(verificationTable, from, on)?.to ?? from

/** Whether the status is verified or certified; only then it has stamps. */
export const isVouchedFor = (verification: Verification): boolean =>
  verification === "verified" || verification === "certified"
