import { describe, expect, it } from "vitest"
import { closeReferences, hasOpenReference } from "../../../../core/language/questions/index.js"
import { answerTo, pageOf } from "../../../support/answers.js"

const terms = pageOf(
  "Term extensions",
  `---
title: Term extensions
redirect_from: /term-extensions/
owner: Mira Holt
---
# Term extensions

## What's the process?

**Please note:** the standard term breakdown for an eight year appointment is 3+3+2.

The Voluntary Leave Transfer Program (VLTP) allows people to donate leave.

The office was opened on the corner of 18th and F Streets, and opened officially in March 2014.

Parcels are handed out from 9 to 11.

The rent is due on the first of the month.`
)

describe("statements that may answer", () => {
  it.each([
    ["What is the standard term breakdown for an 8 year appointment?", "3+3+2"],
    ["What does VLTP stand for?", "Voluntary Leave Transfer Program"],
    ["Who is the owner of term extensions?", "Mira Holt"],
    ["When is the rent due?", "first of the month"]
  ])("%s is answered with %s", (question, expected) => {
    expect(answerTo(question, [terms]).join(" ")).toContain(expected)
  })

  it.each([
    ["Where do I get my parcels?", "a time in place of a place"],
    ["Why is the rent due?", "a statement without a reason"]
  ])("%s is not answered with %s", (question) => {
    expect(answerTo(question, [terms])).toEqual([])
  })

  it("are no fields of front matter that are not asked for", () => {
    expect(answerTo("Which form do I need for term extensions?", [terms]).join(" ")).not.toMatch(
      /redirect|title:/u
    )
  })

  it("with an ordinal of a street are no date", () => {
    const page = pageOf("Office", "# Office\n\nWhen the office opened, it stood at 18th and F Streets.")
    expect(answerTo("When did the office open?", [page])).toEqual([])
  })
})

describe("a question about something that only earlier text names", () => {
  it.each([
    ["Is this library open on Sundays?", true],
    ["What is the main purpose of that NASA mission?", true],
    ["Who wrote this?", false],
    ["How many games did they win this season?", false],
    ["Is it true that volunteers are essential?", false],
    ["What does the library offer?", false]
  ])("%s: %s", (question, isOpen) => {
    expect(hasOpenReference(question)).toBe(isOpen)
  })

  it("is closed by an earlier turn that names it", () => {
    const question = "Is this library open on Sundays?"
    expect(closeReferences(question, "Where is the town library?")).toBe("Is the library open on Sundays?")
    expect(closeReferences(question, "Where is the clinic?")).toBe(question)
  })
})
