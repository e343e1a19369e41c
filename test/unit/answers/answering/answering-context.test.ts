import { describe, expect, it } from "vitest"
import { makeEvidence } from "../../../../core/answers/evidence/index.js"
import { extractAnswer } from "../../../../core/answers/extractive/index.js"
import { selectPassages } from "../../../../core/answers/selection/choose-passages.js"
import { readQuestion } from "../../../../core/language/questions/index.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"

/** Returns the built-in model's claims for a question over these passages, with every term equally rare. */
const say = (question: string, passages: ReadonlyArray<ReturnType<typeof passageOf>>) =>
  extractAnswer(
    makeEvidence({ question: readQuestion(question, analyse), passages, idf: () => 1, analyse })
  ).claims.map(({ text }) => text)

describe("what stands around a sentence", () => {
  it("answers for each of several things that are asked about at once, or not in parts", () => {
    const page = (name: string, mass: string) =>
      passageOf({
        title: name,
        path: `products/${name}.md`,
        text: `| Property | Value |\n|---|---|\n| Nacelle mass | ${mass} |\n| Blades | 3 |`
      })
    const pages = [page("KT-15", "148 t"), page("KT-22", "196 t"), page("KT-31", "71 t")]
    const said = say("What is the nacelle mass of the KT-22 and of the KT-15?", pages)
    expect(said.map((text) => text.match(/\d+ t/u)?.[0])).toEqual(["196 t", "148 t"])
    const unknown = say("What is the nacelle mass of the KT-22 and of the KT-99?", pages)
    expect(unknown.length).toBeLessThan(2)
  })

  it("picks the passages for each of several things", () => {
    const about = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) =>
        passageOf({
          title: `${name} part ${at}`,
          path: `${name}-${at}.md`,
          text: `The lead time of the ${name} gearbox is ${at + 2} weeks.`
        })
      )
    const pool = makeEvidence({
      question: readQuestion("What is the lead time of the NG-21 and of the FL-33?", analyse),
      passages: [...about("NG-21", 4), ...about("FL-33", 4)],
      idf: () => 1,
      analyse
    })
    const picked = selectPassages(pool, 2).map(({ docTitle }) => docTitle.slice(0, 5))
    expect(new Set(picked)).toEqual(new Set(["NG-21", "FL-33"]))
  })

  it("counts what was asked to be counted", () => {
    const text = "There are two implementations of the code.\n\nThe implementation of the code has 900 lines."
    const page = passageOf({ title: "Curves", path: "curves.md", text })
    expect(say("How many lines does the implementation of the code have?", [page])[0]).toContain("900")
    const without = passageOf({ title: "Curves", path: "curves.md", text: text.slice(0, 42) })
    expect(say("How many lines does the implementation of the code have?", [without])).toEqual([])
  })

  it("reads an item together with the items above it", () => {
    const list = passageOf({
      title: "Clique protocol",
      path: "clique.md",
      text: "* Epoch length: blocks after which votes are reset\n  * Suggested 30000 for the test network.\n* Difficulty: 2"
    })
    expect(say("What is the epoch length of the Clique protocol?", [list]).join(" ")).toContain("30000")
  })

  it("gives a time or a length to who asks how long", () => {
    const press = passageOf({
      title: "Pressure test",
      path: "press.md",
      text: "The pressure test has a pressure of 8 bar. The pressure test takes 24 hours."
    })
    expect(say("How long does the pressure test take?", [press])).toEqual([
      "The pressure test takes 24 hours."
    ])
    const pike = passageOf({ title: "Pike", path: "pike.md", text: "The pike grows to 130 centimetres." })
    expect(say("How long does the pike grow?", [pike])).toEqual(["The pike grows to 130 centimetres."])
  })

  it("answers from front matter who asks for the key", () => {
    const page = passageOf({
      title: "Base fee",
      path: "eips/eip-1559.md",
      text: "---\neip: 1559\nstatus: Final\ncreated: 2019-04-13\n---"
    })
    expect(say("What is the status of EIP-1559?", [page])).toEqual(["status: Final"])
  })
})
