import { counted, inLanguage } from "../language.js"

export const englishInbox = {
  title: "Inbox",
  lead: "Everything that needs a person. Your items come first, then the oldest.",
  listLabel: "Inbox items",
  keys: "j and k move, a does the first thing, r the second, Enter opens it.",
  all: "Everything",
  mineOnly: "Only mine",
  mine: "Mine",
  kinds: {
    change_request: "Change request",
    change: "Changed by others",
    review: "Review overdue",
    verification: "Verification due",
    duplicate: "Possible duplicate",
    approval: "Agent asks",
    sync_conflict: "Sync conflict",
    feedback: "Negative feedback",
    judgment: "Proposed judgment",
    contradiction: "Contradiction",
    proposal: "Proposed document"
  },
  empty: "Nothing to do",
  emptyHint: "Change requests, overdue reviews, duplicates, approvals of runs and feedback appear here.",
  emptyKind: "No items of this kind.",
  choose: "Select an item.",
  since: "added",
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
    text: "Check the entity. If it is still correct, mark it as reviewed.",
    review: "Mark as reviewed",
    certify: "Certify",
    done: "Marked as reviewed.",
    certified: "Certified."
  },
  verification: {
    text: "Read the document. If it is still correct, verify it until its next review.",
    verify: "Still correct: verify",
    unverify: "No longer certain",
    done: "Verified until its next review.",
    undone: "It is now unverified."
  },
  duplicate: {
    text: (name: string, head: string, score: string) =>
      `“${name}” and “${head}” may be the same (${score}).`,
    merge: "Compare and merge",
    apart: "Kept apart. They are not suggested again."
  },
  change: {
    text: "You answer for this entity, and another person or program changed it.",
    certify: "Certify as it is now"
  },
  settle: {
    done: "Done",
    reject: "Reject",
    assign: "Assigned to",
    nobody: "Nobody",
    isDone: "Done. It has left the inbox.",
    isRejected: "Rejected. It has left the inbox."
  },
  conflict: {
    text: "The document was edited here and at its source. The text here has been kept for now.",
    keep: "Keep the text here",
    source: "Take the text of the source",
    done: "A sync is resolving it now."
  },
  feedback: {
    text: "A reader was not satisfied. Check the answer, then correct the document or entity behind it.",
    about: "The answer that this is about",
    noOutput: "The run has no answer."
  },
  contradiction: {
    text: "Two statements contradict each other. Correct a document, deprecate it, or say why both are true.",
    row: (standing: string) => `live data, ${standing}`,
    change: "Correct it",
    deprecate: "Deprecate it",
    deprecated: "The document is deprecated.",
    reason: "Why both are true",
    bothTrue: "Both are true",
    noReason: "Say why first.",
    done: "Both are marked as true."
  },
  proposal: {
    text: (path: string, isNew: boolean) =>
      isNew
        ? `A new page is proposed as ${path}. Every sentence cites what supports it.`
        : `A new version of ${path} is proposed. Every sentence cites what supports it.`,
    edit: (path: string) => `Another text is proposed for ${path}, which is verified.`,
    move: (from: string, to: string) => `${from} is to move to ${to}. Links to it follow.`,
    remove: (path: string) => `${path} is to go to the trash.`,
    by: "Proposed by",
    accept: "Approve",
    accepted: "Approved; the document is changed.",
    blocked: "Only the member who verified the document decides.",
    dropped: (count: number) =>
      counted(count, "sentence of the model was left out", "sentences of the model were left out"),
    diff: "Proposed text",
    same: "The text is the same.",
    approve: "Write the page",
    reject: "Reject",
    approved: "The page is written.",
    rejected: "The proposal is rejected."
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

export const inboxText = inLanguage("inbox", englishInbox)
