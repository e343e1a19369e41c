import { counted, inLanguage } from "../language.js"

export const englishRequests = {
  title: "Requests",
  lead: "Changes that people, agents and imports propose. Nothing changes until a person approves it.",
  listLabel: "Change requests",
  kinds: {
    create: "New entity",
    update: "Change",
    deprecate: "Deprecate",
    supersede: "Supersede",
    delete: "Delete"
  },
  statuses: { open: "Open", approved: "Approved", rejected: "Rejected", withdrawn: "Withdrawn" },
  filters: { status: "Status", any: "Any" },
  keys: "j and k move, x selects, a approves, r rejects.",
  select: (name: string) => `Select the request about ${name}`,
  propose: "Propose a change",
  unnamed: "A deleted entity",
  empty: {
    open: "No request is open",
    hint: "Propose a change of an entity; its owner or a steward decides.",
    other: "No such request"
  },
  choose: "Select a request to see what it would change.",
  diff: "What would change",
  diffDone: "What was proposed",
  noDiff: "No visible changes.",
  impact: {
    title: "What depends on it",
    relations: (count: number) => counted(count, "relation", "relations"),
    answers: (count: number) => counted(count, "kept answer", "kept answers"),
    cache: (count: number) => `${counted(count, "cached answer", "cached answers")} to recompute`
  },
  note: "Note of the proposer",
  reviewNote: "Your note (optional)",
  reviewNoteOf: "Note of the reviewer",
  proposed: "proposed",
  decided: "decided",
  discussion: "Changes to the entity since then",
  approve: "Approve",
  reject: "Reject",
  withdraw: "Withdraw",
  withdrawTitle: "Withdraw this request?",
  withdrawHint: "Only the person who proposed it can withdraw it.",
  blocked: {
    title: "It cannot be approved now",
    reviewer_required: "Only the owner or a steward of this entity decides about it.",
    reviewer_required_key:
      "Only the owner or a steward of this entity decides about it, and this session belongs to a key without a member. Sign in with a user key or with your organisation.",
    conflict:
      "It can no longer be applied: the entity has changed, or another one has its name. Reject it, or propose it again.",
    not_open: "It has already been decided."
  } as Readonly<Record<string, string>>,
  openEntity: "Open the entity",
  bulk: {
    selected: (count: number) => `${counted(count, "request", "requests")} selected`,
    approve: (count: number) => `Approve ${count}`,
    reject: (count: number) => `Reject ${count}`,
    all: "Select all shown",
    none: "Clear the selection",
    confirmApprove: (count: number) => `Approve ${counted(count, "request", "requests")}?`,
    confirmReject: (count: number) => `Reject ${counted(count, "request", "requests")}?`,
    text: "Each request is decided separately. Requests that cannot be decided stay open and are listed.",
    result: (done: number, all: number) => `${done} of ${all} were decided.`,
    failed: "Not decided"
  },
  done: {
    approved: "Approved and applied.",
    rejected: "Rejected.",
    withdrawn: "Withdrawn.",
    proposed: "Your request was sent."
  },
  form: {
    kind: "Kind",
    entity: "Entity",
    successor: "Successor",
    name: "New name",
    type: "New type",
    description: "New description",
    keep: "Leave empty to keep it.",
    note: "Why",
    submit: "Propose",
    pickEntity: "Choose the entity first.",
    pickSuccessor: "Choose the successor first."
  }
}

export const requestText = inLanguage("requests", englishRequests)
