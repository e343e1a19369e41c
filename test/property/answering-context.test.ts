import { describe, expect, it } from "vitest"
import { extract, makeEvidence, readQuestion } from "../../core/answering/index.js"
import { analyse } from "../../core/retrieval/index.js"
import { passageOf } from "../support/passages.js"

/** What the built-in model says to a question over these passages, every term being equally rare. */
const say = (question: string, passages: ReadonlyArray<ReturnType<typeof passageOf>>) =>
  extract(
    makeEvidence({ question: readQuestion(question, analyse), passages, idf: () => 1, analyse })
  ).claims.map(({ text }) => text)

describe("what stands around a sentence", () => {
  it("lets the document that a code names speak before those that speak of it", () => {
    const own = passageOf({
      title: "Contract size",
      path: "rules/rule-170.md",
      headingPath: ["Specification"],
      text: "The maximum contract size is 24576 bytes."
    })
    const other = passageOf({
      title: "Initial code",
      path: "rules/rule-3860.md",
      text: "We extend the maximum contract size introduced by RULE-170 to a limit of 49152 bytes."
    })
    const question = "What is the maximum contract size introduced by RULE-170?"
    expect(say(question, [other, own])[0]).toBe("The maximum contract size is 24576 bytes.")
  })

  it("reads an item together with the items above it", () => {
    const list = passageOf({
      title: "Clique protocol",
      path: "clique.md",
      text: "* Epoch length: blocks after which votes are reset\n  * Suggested 30000 for the test network.\n* Difficulty: 2"
    })
    expect(say("What is the epoch length of the Clique protocol?", [list]).join(" ")).toContain("30000")
  })

  it("gives no time to who asks how much, and a time to who asks how long", () => {
    const both = passageOf({
      title: "Block reward",
      path: "reward.md",
      text: "The change delays the bomb for 12 months and will reduce the block reward. The block reward is 2 ETH."
    })
    expect(say("To how much do they reduce the block reward?", [both])).toEqual([
      "The block reward is 2 ETH."
    ])
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

  it("answers from front matter only who asks for the key", () => {
    const page = passageOf({
      title: "Base fee",
      path: "eips/eip-1559.md",
      text: "---\neip: 1559\nstatus: Final\ncreated: 2019-04-13\n---"
    })
    expect(say("What is the status of EIP-1559?", [page])).toEqual(["status: Final"])
    expect(say("What does EIP-1559 cost?", [page])).toEqual([])
  })
})
