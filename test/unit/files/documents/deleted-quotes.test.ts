import { expect, test } from "vitest"
import { withoutQuotes } from "../../../../core/files/documents/index.js"

const [gone, live] = ["doc_01kjq3x8wefm5v2n7c4t9dbhga", "doc_01kjq3x8wefm5v2n7c4t9dbhgb"]
const documents = new Set([gone])

test("an answer loses the words of a deleted document, and keeps those of others", () => {
  const answer = {
    answer: "The code is 4711 [S1]. The gate is red [S2].",
    claims: [
      { text: "The code is 4711.", citations: ["S1"], status: "supported" },
      { text: "The gate is red.", citations: ["S2"], status: "supported" }
    ],
    sources: [
      { id: "S1", docId: gone, docPath: "code.md", docTitle: "Code", headingPath: "Code", snippet: "4711" },
      { id: "S2", docId: live, docPath: "gate.md", docTitle: "Gate", headingPath: "Gate", snippet: "red" }
    ],
    policy: {
      caveats: [{ code: "stale_source", message: "4711 is old.", sourceIds: ["S1"] }],
      conflicts: [
        {
          subject: "code",
          sides: [
            { sourceId: "S1", value: "4711", quote: "The code is 4711." },
            { sourceId: "S2", value: "red", quote: "The gate is red." }
          ]
        }
      ]
    }
  }
  const shown = withoutQuotes(answer, documents)
  expect(JSON.stringify(shown)).not.toContain("4711")
  expect(shown).toMatchObject({
    answer: "[deleted]",
    claims: [{ text: "[deleted]" }, { text: "The gate is red." }],
    sources: [
      { docId: gone, docPath: "code.md", docTitle: "Code", snippet: "[deleted]" },
      { docId: live, snippet: "red" }
    ],
    policy: { conflicts: [{ sides: [{ value: "[deleted]" }, { value: "red", quote: "The gate is red." }] }] }
  })
})

test("a tool's result loses the content of a deleted document, with what stands below it", () => {
  const result = {
    results: [
      { chunkId: "c1", docId: gone, snippet: "secret" },
      { chunkId: "c2", docId: live, snippet: "open" }
    ],
    document: { id: gone, path: "a.md", content: "secret", passages: [{ text: "secret" }] }
  }
  expect(withoutQuotes(result, documents)).toEqual({
    results: [
      { chunkId: "c1", docId: gone, snippet: "[deleted]" },
      { chunkId: "c2", docId: live, snippet: "open" }
    ],
    document: { id: gone, path: "a.md", content: "[deleted]", passages: [{ text: "[deleted]" }] }
  })
})

test("the text of a run that cites a deleted document is hidden, another stays", () => {
  const cited = (docId: string) => ({ text: "words", citations: [{ docId, chunkId: "c" }] })
  expect(withoutQuotes(cited(gone), documents)).toMatchObject({ text: "[deleted]" })
  expect(withoutQuotes(cited(live), documents)).toEqual(cited(live))
  expect(withoutQuotes(cited(gone), new Set())).toEqual(cited(gone))
})
