import { describe, expect, it } from "vitest"
import { type RelationQuestion, relationAsked } from "../../../../core/knowledge/prose/index.js"

/** "Umeå based_in ?": what is sought first, innermost question first. */
const shown = (question: RelationQuestion | null): string => {
  if (question === null) return "none"
  const inner = "name" in question.of ? question.of.name : `(${shown(question.of)})`
  const [first] = question.sought
  return first?.known === "from" ? `${inner} ${first.type} ?` : `? ${first?.type} ${inner}`
}

describe("a question for a relation", () => {
  it.each([
    ["Who leads Norrland Energy?", "? leads Norrland Energy"],
    ["Which companies did Norrland acquire?", "Norrland acquired ?"],
    ["Who was Fjordkraft acquired by?", "? acquired Fjordkraft"],
    ["Where is Norrland Energy based?", "Norrland Energy based_in ?"],
    ["In which city is Norrland Energy headquartered?", "Norrland Energy based_in ?"],
    ["Who does Erik Holm report to?", "Erik Holm reports_to ?"],
    ["Who is the CEO of Norrland Energy?", "? leads Norrland Energy"],
    ["What does Medisoft depend on?", "Medisoft depends_on ?"],
    ["Where is the parent of Fjordkraft based?", "(? owns Fjordkraft) based_in ?"],
    ["Who founded Fjordkraft's owner?", "? founded (? owns Fjordkraft)"]
  ])("is read: %s", (question, read) => {
    expect(shown(relationAsked(question))).toBe(read)
  })

  it.each([
    "Who did not acquire Fjordkraft?",
    "Which is the largest company that Norrland acquired?",
    "Who led Norrland Energy in 2009?",
    "Who will acquire Fjordkraft?",
    "Who first led Norrland Energy?",
    "Which brewery does Tomas Brandt lead?",
    "Who is responsible for backups?",
    "Who leads the weekly meeting?",
    "Wer leitet Norrland Energy?",
    ""
  ])("is not read where an edge cannot answer it: %s", (question) => {
    expect(relationAsked(question)).toBeNull()
  })

  it("takes a role for what it is, and a chief of finance for no leader", () => {
    const [ceo] = relationAsked("Who is the CEO of Norrland Energy?")?.sought ?? []
    expect(ceo?.says?.test("the chief executive of Norrland Energy")).toBe(true)
    expect(ceo?.says?.test("the chairman of Norrland Energy")).toBe(false)
    const [leader] = relationAsked("Who leads Norrland Energy?")?.sought ?? []
    expect(leader?.says?.test("Anna is the chief financial officer of Norrland Energy")).toBe(false)
  })
})
