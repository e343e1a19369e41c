import { describe, expect, it } from "vitest"
import { parseWording, questionKey } from "../../../../core/answers/answer-cache/index.js"
import { findConflicts } from "../../../../core/answers/conflicts/index.js"
import { makeEvidence } from "../../../../core/answers/evidence/index.js"
import { extractAnswer } from "../../../../core/answers/extractive/index.js"
import { checkGrounding } from "../../../../core/answers/grounding/index.js"
import { parseContent } from "../../../../core/files/documents/index.js"
import { documentLinks } from "../../../../core/files/links/index.js"
import { parseFrontMatter, parseMarkdown } from "../../../../core/files/markdown/index.js"
import { makeDetector, surfaceKey } from "../../../../core/knowledge/entities/index.js"
import { loadTagger, readFacts } from "../../../../core/knowledge/extraction/index.js"
import { languageOf, negationCount, spokenLanguageOf } from "../../../../core/language/languages/index.js"
import { readQuestion } from "../../../../core/language/questions/index.js"
import {
  hasDirection,
  isInOtherLanguage,
  opposes,
  overstates,
  plain,
  sentences,
  textUnits
} from "../../../../core/language/text-analysis/index.js"
import {
  analyse,
  analyseForIndex,
  analyseQuery,
  spellingOf
} from "../../../../core/language/tokenization/index.js"
import { findValues } from "../../../../core/language/values/index.js"
import { EntityId, nameNorm } from "../../../../core/platform/kernel/index.js"
import { snippetLine, snippetsFor } from "../../../../core/search/retrieval/index.js"
import { type LinearLimits, repeated, superLinear } from "../../../support/linear.js"
import { passageOf } from "../../../support/passages.js"

const texts = [
  ["letters", repeated("a")],
  ["capitals", repeated("A")],
  ["words", repeated("a ")],
  ["names", repeated("Aa ")],
  ["names in a row", repeated("Aa-")],
  ["digits", repeated("1")],
  ["numbers", repeated("1,")],
  ["numbers with points", repeated("1.1.")],
  ["blanks", repeated(" ", "A", "b")],
  ["tabs and line breaks", repeated("\t\n", "A", "b")],
  ["full stops", repeated(".", "A", "b")],
  ["commas", repeated(",", "a: 1", "b")],
  ["apostrophes", repeated("'", "A", "A")],
  ["hyphens", repeated("-", "A", "A")],
  ["words joined by hyphens", repeated("a1-")],
  ["words joined by low lines", repeated("a_")],
  ["quotes", repeated("„‚")],
  ["question marks", repeated("? ", "A", "b")],
  ["brackets", repeated("[")],
  ["opened links", repeated("[](")],
  ["stars", repeated("**a ")],
  ["backticks", repeated("`")],
  ["bars", repeated("| a ")],
  ["slashes", repeated("/a")],
  ["signs alone", repeated("§ ")],
  ["characters that are numbers", repeated("十")],
  ["characters", repeated("漢字")],
  ["kana", repeated("の")],
  ["Cyrillic", repeated("стоимость ")],
  ["months", repeated("January ")],
  ["denials", repeated("is not ")],
  ["amounts", repeated("10 km ")],
  ["marks above", repeated("a\u0301")],
  ["marks above and below in a row", repeated("\u0301\u0316", "a")],
  ["half-width marks in a row", repeated("\uff9e\u0301\u0316", "か")]
] as const

/** Functions that take a text of any length. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  analyse,
  analyseForIndex,
  snippetLine,
  snippetsFor: (text) => snippetsFor(new Map([["a", 1]]))(snippetLine(text)),
  surfaceKey,
  nameNorm,
  plain,
  sentences,
  textUnits,
  findValues,
  languageOf,
  spokenLanguageOf: (text) => spokenLanguageOf(text, "en"),
  negationCount,
  isInOtherLanguage: (text) => isInOtherLanguage(text, "What is this?"),
  overstates: (text) => overstates(text, "some"),
  hasDirection,
  opposes: (text) => opposes("It is on.", text)
}

const questions: Readonly<Record<string, (text: string) => unknown>> = {
  analyseQuery,
  spellingOf,
  questionKey,
  readQuestion: (text) => readQuestion(text, analyse),
  aboutThing: (text) => readQuestion(`What is the ${text}?`, analyse),
  aboutPrice: (text) => readQuestion(`How much do ${text}?`, analyse),
  readWording: (text) => parseWording(text, [])
}

const evidenceOf = (question: string, ...passages: ReadonlyArray<string>) =>
  makeEvidence({
    question: readQuestion(question, analyse),
    passages: passages.map((text, at) => passageOf({ title: "Notes", path: `${at}.md`, text })),
    idf: () => 1,
    analyse
  })
const claim = { text: "Orin Lake is not open in May 2024, and 12 m deep.", citations: ["S1"] }
/** Functions that read a passage, up to a bound. */
const passages: Readonly<Record<string, (text: string) => unknown>> = {
  extract: (text) => extractAnswer(evidenceOf("When is the price of Orin Lake due, and why?", text)),
  extractCount: (text) => extractAnswer(evidenceOf("How many does it have?", text)),
  checkGrounding: (text) => checkGrounding([claim], evidenceOf("Is it?", text)),
  checkItself: (text) => checkGrounding([{ ...claim, text }], evidenceOf("Is it?", text)),
  findConflicts: (text) => findConflicts(evidenceOf("How deep is it?", text, `${text} 12 m`), [claim])
}

const faults = (
  works: Readonly<Record<string, (text: string) => unknown>>,
  lengthened: (length: number) => string,
  limits: LinearLimits = {}
) =>
  Object.entries(works).flatMap(([name, work]) => {
    const fault = superLinear(work, lengthened, limits)
    return fault === null ? [] : [`${name}: ${fault}`]
  })

describe("a text is read in time that grows with its length", () => {
  it.each(texts)("%s", (_, lengthened) => {
    expect(faults(readers, lengthened)).toEqual([])
  })
})

await loadTagger()

const chunking = { maxChars: 2000, overlapChars: 200 }
const documents: Readonly<Record<string, (text: string) => unknown>> = {
  takeApart: (text) => parseContent("a.md", text, chunking),
  documentLinks: (text) => documentLinks(parseMarkdown(text, 0)),
  readFacts: (text) =>
    readFacts({ path: "notes/a.md", title: "A", frontMatter: parseFrontMatter("").frontMatter }, text)
}

describe("a document is taken apart in time that grows with its length", () => {
  const markdown = [
    ["headings", repeated("# a\n")],
    ["items", repeated("- a\n")],
    ["items below items", repeated("- a\n  - b\n")],
    ["tables", repeated("|-|\n")],
    ["footnotes", repeated("[^1]: a\n")],
    ["definitions", repeated("[a]: b\n")],
    ["quotes", repeated("> a\n\n")],
    ["fences", repeated("```\n")],
    ["tags", repeated("<a ")],
    ["comments", repeated("<!-- ")],
    ["mail addresses", repeated("+.", "a", "@")],
    ["formulas", repeated("$$a")]
  ] as const
  it.each([...texts, ...markdown])("%s", (_, lengthened) => {
    expect(faults(documents, lengthened)).toEqual([])
  })
})

describe("names are found in time that grows with the text", () => {
  const detector = makeDetector([
    {
      id: EntityId.parse(`ent_${"0".repeat(26)}`),
      headId: EntityId.parse(`ent_${"0".repeat(26)}`),
      surfaces: ["Orin Lake", "a", "a a a b", "1.1.2"]
    }
  ])
  it.each(texts)("%s", (_, lengthened) => {
    expect(superLinear(detector.detect, lengthened)).toBeNull()
  })
})

describe("the longest question that is taken is read in a moment", () => {
  it.each(texts)("%s", (_, lengthened) => {
    expect(faults(questions, lengthened, { length: 4000, limitMs: 2000 })).toEqual([])
  })
})

describe("a passage is answered from, compared and checked in a moment", () => {
  it.each(texts)("%s", (_, lengthened) => {
    expect(faults(passages, lengthened, { length: 12_000, limitMs: 2000 })).toEqual([])
  })
})
