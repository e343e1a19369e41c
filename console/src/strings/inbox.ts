import { counted } from "../strings.js"

export const inboxText = {
  title: "Inbox",
  lead: "Everything that waits for a person. Yours comes first, then the oldest.",
  listLabel: "What waits",
  keys: "j and k move, a does the first thing, r the second, Enter opens it.",
  all: "Everything",
  mineOnly: "Only mine",
  mine: "Mine",
  kinds: {
    change_request: "Change request",
    review: "Review overdue",
    verification: "Verification due",
    duplicate: "Possible duplicate",
    approval: "Agent asks",
    sync_conflict: "Sync conflict",
    feedback: "Negative feedback",
    judgment: "Proposed judgment"
  },
  empty: "Nothing waits",
  emptyHint: "Change requests, overdue reviews, duplicates, approvals of runs and feedback come here.",
  emptyKind: "Nothing of this kind waits.",
  choose: "Choose what to look at.",
  since: "waits since",
  count: (count: number) => counted(count, "thing waits", "things wait"),
  open: {
    entity: "Open the entity",
    document: "Open the document",
    run: "Open the run",
    answer: "Open the answer",
    connector: "Open the connector",
    evaluation: "Open the judgments"
  },
  review: {
    text: "Look at the entity. If it is still right, mark it as reviewed.",
    review: "Mark as reviewed",
    certify: "Certify",
    done: "Marked as reviewed.",
    certified: "Certified."
  },
  verification: {
    text: "Read the document. If it still holds, verify it until its next review.",
    verify: "Still right: verify",
    unverify: "No longer certain",
    done: "Verified until its next review.",
    undone: "It is unverified now."
  },
  duplicate: {
    text: (name: string, head: string, score: string) =>
      `“${name}” and “${head}” may be the same (${score}).`,
    merge: "Compare and merge"
  },
  conflict: {
    text: "The document was edited here and at its source. The text here was kept for now.",
    keep: "Keep the text here",
    source: "Take the text of the source",
    done: "A sync settles it now."
  },
  feedback: {
    text: "Somebody was not content. Look at what was answered, and correct the source or the entity behind it.",
    judgments: "Proposed judgments"
  },
  judgment: {
    text: (set: string) => `Feedback suggests a judgment for the set “${set}”.`,
    question: "Question",
    document: "Document",
    grade: "Grade",
    answers: "Accepted answers",
    why: "Why",
    accept: "Accept",
    reject: "Not relevant: grade 0",
    done: "The judgment is stored as yours."
  }
}
