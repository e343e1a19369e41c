import { type StateTable, stepsFrom } from "../../platform/kernel/index.js"
import { Authority, Lifecycle } from "./model.js"

/** Triggers of lifecycle transitions; `deprecate` has no successor, `supersede` has one. */
export type LifecycleTrigger = "draft" | "pending_review" | "published" | "deprecate" | "supersede"

const open = ["draft", "pending_review", "published"] as const

/** Lifecycle transitions of an entity. */
export const lifecycleTable: StateTable<Lifecycle, LifecycleTrigger> = {
  name: "Entity lifecycle",
  states: Lifecycle.options,
  initial: ["published", "draft", "pending_review"],
  refusedWith: "InvalidTransition",
  triggers: {
    draft: "The lifecycle is set to draft.",
    pending_review: "The lifecycle is set to pending_review.",
    published: "The lifecycle is set to published.",
    deprecate: "Deprecated without a successor.",
    supersede: "Deprecated in favour of a successor."
  },
  steps: [
    ...open.map((state) => ({ from: state, on: state, to: state, changes: false as const })),
    { from: "draft", on: "pending_review", to: "pending_review" },
    { from: "draft", on: "published", to: "published" },
    { from: "pending_review", on: "draft", to: "draft" },
    { from: "pending_review", on: "published", to: "published" },
    { from: "published", on: "draft", to: "draft" },
    ...stepsFrom<Lifecycle, LifecycleTrigger>(open, { on: "deprecate", to: "deprecated" }),
    ...stepsFrom<Lifecycle, LifecycleTrigger>(open, {
      on: "supersede",
      to: "superseded",
      when: "The successor is live and published, and another entity.",
      otherwise: "404 `not_found` for an unknown successor, 400 `invalid_body` for another one.",
      also: "supersededBy names the successor."
    })
  ]
}

/** Triggers of authority transitions: a curation verb, or setting a value directly. */
export type AuthorityTrigger = "certify" | "review" | Authority

const stamps = "lastReviewedAt is now, nextReviewAt is reviewIntervalDays later."

/** Authority transitions of an entity. Authority never rises by itself. */
export const authorityTable: StateTable<Authority, AuthorityTrigger> = {
  name: "Entity authority",
  states: Authority.options,
  initial: ["machine_extracted", "asserted", "curated"],
  triggers: {
    certify: "The document is certified.",
    review: "A person reviews it.",
    machine_extracted: "The authority is set to machine_extracted.",
    asserted: "The authority is set to asserted.",
    curated: "The authority is set to curated.",
    certified: "The authority is set to certified."
  },
  steps: [
    ...stepsFrom<Authority, AuthorityTrigger>(Authority.options, {
      on: "certify",
      to: "certified",
      also: stamps
    }),
    { from: "machine_extracted", on: "review", to: "curated", also: stamps },
    ...(["asserted", "curated", "certified"] as const).map((state) => ({
      from: state,
      on: "review" as const,
      to: state,
      also: stamps
    })),
    ...Authority.options.flatMap((from) =>
      Authority.options.map((to) => ({
        from,
        on: to,
        to,
        ...(from === to ? { changes: false as const } : {})
      }))
    )
  ]
}
