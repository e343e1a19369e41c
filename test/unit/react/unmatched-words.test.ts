import { createRequire } from "node:module"
import { expect, it } from "vitest"
import type { StructuredAnswer } from "../../../core/answers/answering/index.js"

// Readers see which words of a sentence no source says.

// Not imported by name: components and React have compiler options and global types of their own, which the tests of
// programs do not share.
const load = createRequire(import.meta.url)
const { createElement } = load("react")
const { renderToStaticMarkup } = load("react-dom/server")
const { Answer } = await import(new URL("../../../react/index.ts", import.meta.url).href)

const text = "Corvo pumps are painted red."
const htmlOf = (unmatched: StructuredAnswer["claims"][number]["unmatched"]): string =>
  renderToStaticMarkup(
    createElement(Answer, {
      answer: {
        answerable: true,
        answer: `${text} [S1]`,
        claims: [
          {
            text,
            citations: ["S1"],
            status: "partly",
            quotes: [],
            ...(unmatched === undefined ? {} : { unmatched })
          }
        ],
        groundedness: { verified: 0, total: 1 },
        sources: [],
        dataCalls: [],
        entities: [],
        modelId: "fake",
        policy: {
          mode: "shadow",
          verdict: "answer_with_caveats",
          confidence: null,
          calibrationVersion: null,
          reasons: [],
          caveats: [],
          conflicts: []
        }
      }
    })
  )

it("marks the words of a claim that no source says", () => {
  expect(htmlOf([{ start: 24, end: 27 }])).toMatch(
    /Corvo pumps are painted <em class="kanon-unmatched"[^>]*title="No source says this word">red<\/em>\./
  )
  expect(htmlOf(undefined)).not.toContain("<em")
})

it("leaves out spans that overlap or reach beyond the text", () => {
  const html = htmlOf([
    { start: 24, end: 27 },
    { start: 25, end: 27 },
    { start: 27, end: 99 }
  ])
  expect(html.match(/<em/gu)).toHaveLength(1)
})
