import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { questionFit } from "../../../../core/language/questions/question-features.js"
import { ReadText } from "../../../../core/language/text-analysis/read-text.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { runs } from "../../../support/runs.js"

const fitOf = (question: string, text: string) =>
  questionFit(readQuestion(question, analyse), new ReadText(text, analyse))

describe("how a text fits the form of a question", () => {
  it.each([
    ["What do non-members pay?", "Members pay 40 euros.", 1],
    ["What do non-members pay?", "Non-members pay 40 euros.", 0],
    ["How are packets irregularly sent?", "Packets are sent regularly.", 1],
    ["How are packets regularly sent?", "Packets are sent regularly.", 0],
    ["What is under the roof?", "There is a nest.", 0]
  ])("%j denies by a prefix a word of %j: %d", (question, text, denied) => {
    expect(fitOf(question, text).deniedWord).toBe(denied)
  })

  it.each([
    ["How many berths does the harbour have?", "The harbour has forty new berths.", 1],
    [
      "How many berths does the harbour have?",
      "The harbour has 40 cranes, most of them new and in good order, and berths.",
      0
    ],
    ["How many weight rooms are there?", "It includes three weight rooms.", 1],
    ["Wie viele Liegeplätze hat der Hafen?", "Der Hafen hat 40 Liegeplätze.", 1],
    ["When was the harbour built?", "It was built in 1950 with 40 berths.", null]
  ])("%j is answered by a number of that in %j: %j", (question, text, counted) => {
    expect(fitOf(question, text).countedThing).toBe(counted)
  })

  it("is told of any question and any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 80 }),
        fc.string({ maxLength: 80 }),
        (question, text) => {
          const { countedThing, deniedWord } = fitOf(question, text)
          expect([0, 1]).toContain(deniedWord)
          expect([0, 1, null]).toContain(countedThing)
        }
      ),
      { numRuns: runs(100) }
    )
  })
})
