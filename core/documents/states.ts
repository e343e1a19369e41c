import { type StateTable, stepOf, stepsFrom } from "../kernel/index.js"
import { Verification } from "./model.js"

/** What moves a verification: somebody says another one, or the text is replaced. */
export type VerificationTrigger = Verification | "replace"

const stamped = "verifiedBy and verifiedAt are stamped anew, nextVerifyAt is reviewIntervalDays later."
const cleared = "The stamps are cleared."

/** Who stands behind the text of a document. What was verified is gone with the text; a deprecation stays. */
export const verificationTable: StateTable<Verification, VerificationTrigger> = {
  name: "Document verification",
  states: Verification.options,
  initial: ["unverified"],
  triggers: {
    unverified: "It is said that nobody stands behind it.",
    verified: "Somebody verifies it.",
    certified: "Somebody certifies it.",
    deprecated: "It is said to be out of use.",
    replace: "The text becomes another one."
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

/** Where a trigger leads; every state knows every trigger. */
export const verificationAfter = (from: Verification, on: VerificationTrigger): Verification =>
  stepOf(verificationTable, from, on)?.to ?? from

/** Whether somebody stands behind a document of this verification: it bears stamps then, and no others do. */
export const isVouchedFor = (verification: Verification): boolean =>
  verification === "verified" || verification === "certified"
