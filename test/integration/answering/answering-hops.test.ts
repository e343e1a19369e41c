import { describe, expect, it } from "vitest"
import { followHop } from "../../../core/extractive/hops.js"
import { hopOf } from "../../../core/questions/question-hops.js"
import { claimsOf, evidenceOf, pageOf } from "../../support/answers.js"

const orlin = pageOf("Orlin", "# Orlin\n\nOrlin is owned by Mia Falk. It was launched in Brest.")
const phones = pageOf(
  "Phones",
  "# Phones\n\n| Name | Phone | Room |\n|---|---|---|\n| Mia Falk | 4410 | 12 |\n| Tom Reed | 4411 | 14 |"
)
const teams = pageOf(
  "Teams",
  "# Teams\n\n## Team Wren\n\nOwns Checkout and Vouchers. Pager: 0171.\n\n## Team Swift\n\nOwns Search. Pager: 0172."
)

const said = (question: string, passages = [orlin, phones, teams]) =>
  claimsOf(followHop(evidenceOf(question, passages)))

describe("a question that another has to be asked for", () => {
  it.each([
    [
      "What is the phone number of the owner of Orlin?",
      "Who is the owner of Orlin?",
      "What is the phone number of X?"
    ],
    ["What is Orlin's owner's phone number?", "Who is the owner of Orlin?", "What is the phone number of X?"],
    ["In which room does the owner of Orlin sit?", "Who is the owner of Orlin?", "In which room does X sit?"],
    ["When did the author of ADR 12 join?", "Who is the author of ADR 12?", "When did X join?"],
    ["Who is the manager of the owner of Orlin?", "Who is the owner of Orlin?", "Who is the manager of X?"],
    ["What is the pager of the team that owns Search?", "Which team owns Search?", "What is the pager of X?"]
  ])("%s", (question, first, next) => {
    const hop = hopOf(question)
    expect([hop?.first, hop?.next("X")]).toEqual([first, next])
  })

  it.each(["Who is the owner of Orlin?", "Which team owns Search?", "What is the price of the licence?"])(
    "is none of those that ask for one thing: %s",
    (question) => {
      expect(hopOf(question)).toBeNull()
    }
  )

  it.each([
    [
      "What is the phone number of the owner of Orlin?",
      ["Orlin is owned by Mia Falk.", "Name: Mia Falk; Phone: 4410; Room: 12"]
    ],
    [
      "What is Orlin's owner's phone number?",
      ["Orlin is owned by Mia Falk.", "Name: Mia Falk; Phone: 4410; Room: 12"]
    ]
  ])("%s is answered by both, each with its source", (question, expected) => {
    expect(said(question)).toEqual(expected)
  })

  it("stays without an answer where either does", () => {
    expect(said("What is the phone number of the owner of Orlin?", [orlin, teams])).toEqual([])
    expect(said("What is the phone number of the owner of Merrow?")).toEqual([])
    expect(said("What is the pager of the team that owns Mailer?")).toEqual([])
  })

  it("names a team by the heading that its sentences stand below", () => {
    expect(said("What is the pager of the team that owns Search?").join(" ")).toMatch(
      /Owns Search\..*Pager: 0172\./u
    )
  })
})
