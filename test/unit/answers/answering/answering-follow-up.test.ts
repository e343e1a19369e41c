import { describe, expect, it } from "vitest"
import { standaloneByRule } from "../../../../core/answers/answering/standalone-question.js"

describe("a follow-up question", () => {
  it.each([
    [
      "Who is the manager of Project Heron?",
      "And of Project Kestrel?",
      "Who is the manager of Project Kestrel?"
    ],
    [
      "Who is the manager of Project Heron?",
      "What about Project Kestrel?",
      "Who is the manager of Project Kestrel?"
    ],
    ["What did the quay cost in 2022?", "And in 2023?", "What did the quay cost in 2023?"],
    ["Who approved the Heron budget?", "When?", "When approved the Heron budget?"],
    ["Who is the manager of Project Heron?", "What is its budget?", "What is Project Heron's budget?"],
    ["How heavy is the harbour crane?", "When was it built?", "When was the harbour crane built?"],
    ["How heavy is the harbour crane?", "Who repairs it?", "Who repairs the harbour crane?"],
    [
      "Who is the head of the Harbour office?",
      "Since when?",
      "Since when is the head of the Harbour office?"
    ],
    ["When is the crane inspected?", "By whom?", "By whom is the crane inspected?"],
    ["How long is the pier?", "And how wide?", "How wide is the pier?"],
    ["How many beds has the Elm ward?", "How many nurses?", "How many nurses has the Elm ward?"],
    ["Wer leitet Projekt Heron?", "Und Projekt Kestrel?", "Wer leitet Projekt Kestrel?"],
    ["Qui dirige le projet Heron ?", "Et Kestrel ?", "Qui dirige le projet Kestrel?"]
  ])("after %j: %j is read as %j", (before, question, standalone) => {
    expect(standaloneByRule(question, before)).toBe(standalone)
  })

  it.each([
    ["How heavy is the harbour crane?", "How long does it take to renew a licence?"],
    ["How heavy is the harbour crane?", "What is the budget of Project Heron?"],
    ["How heavy is the harbour crane?", "Is there a limit on wind speed?"],
    ["How heavy is the harbour crane?", "Who maintains the harbour crane, and is it insured?"]
  ])("after %j: %j stays as it is", (before, question) => {
    expect(standaloneByRule(question, before)).toBe(question)
  })
})
