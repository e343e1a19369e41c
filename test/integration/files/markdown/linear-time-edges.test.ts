import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { linkResolver } from "../../../../core/files/links/index.js"
import { judgeDiskPath, parseFrontMatter, plainText } from "../../../../core/files/markdown/index.js"
import { isIri, reading } from "../../../../core/knowledge/vocabulary/index.js"
import { JsonBoundsReader, MomentOrDay } from "../../../../core/platform/kernel/index.js"
import { matches } from "../../../../server/cli/highlight.js"
import { carrier } from "../../../../server/cli/quote.js"
import { clean, cleanLine, wrap } from "../../../../server/cli/text.js"
import { bodyBounds, readJson } from "../../../../server/http/input.js"
import { bearerOf } from "../../../../server/http/serve-row.js"
import { jsonLogger } from "../../../../server/log.js"
import { repeated, superLinear } from "../../../support/linear.js"

describe("a line of the log is made in time that grows with what is said", () => {
  const logged = (message: string) =>
    Effect.runSync(
      Effect.logWarning(message).pipe(
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            jsonLogger("debug", () => undefined)
          )
        )
      )
    )
  it.each([
    ["colons", repeated(":")],
    ["schemes", repeated("://a:")],
    ["a password without an end", repeated("a", "http://a:")],
    ["names and colons", repeated("a:", "http://")],
    ["bearers", repeated("Bearer ")],
    ["blanks behind a bearer", repeated(" ", "Bearer")],
    ["keys", repeated("svc_sk_")],
    ["quotes", repeated('"')]
  ])("%s", (_, lengthened) => {
    expect(superLinear(logged, lengthened)).toBeNull()
  })
})

describe("what comes in is read in time that grows with its length", () => {
  const bearer = (text: string) =>
    bearerOf(new Request("http://a.example", { headers: { authorization: `Bearer ${text}x` } }))
  const deep = (text: string) => {
    const [bytes, count] = [new TextEncoder().encode(text), new JsonBoundsReader(bodyBounds(250_000))]
    count.read(bytes)
    return readJson(bytes, count)
  }
  const json = (text: string) => deep(`{"a":${JSON.stringify(text)}}`)
  const moment = (text: string) => MomentOrDay.safeParse(`2026-01-31T09:30:00.${text}`)
  const iri = (text: string) => isIri(`a${text}`)
  const skos = "http://www.w3.org/2004/02/skos/core#"
  const type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
  const vocabulary = (text: string) => {
    const { end, take } = reading()
    const subject = `urn:a/${text}/`
    take({ subject, predicate: type, object: { kind: "node", id: `${skos}Concept` } })
    take({
      subject,
      predicate: `${skos}prefLabel`,
      object: {
        kind: "literal",
        text,
        language: "en",
        datatype: "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
      }
    })
    // A type without a label is called by the end of its IRI.
    take({
      subject,
      predicate: "http://purl.org/dc/terms/type",
      object: { kind: "node", id: `urn:b/${text}/` }
    })
    return end()
  }
  it.each([
    ["letters", repeated("a")],
    ["digits", repeated("1")],
    ["points", repeated(".")],
    ["slashes", repeated("/")],
    ["blanks", repeated(" ")],
    ["brackets", repeated("[")],
    ["braces", repeated('{"a":')],
    ["signs", repeated("a+.-")]
  ])("%s", (_, lengthened) => {
    for (const work of [bearer, json, deep, moment, iri, vocabulary])
      expect(superLinear(work, lengthened)).toBeNull()
  })
})

describe("paths and references of documents are read in time that grows with their length", () => {
  const { resolveReferences } = linkResolver([
    { id: "a", path: "notes/adr-0001-a.md", title: "A", aliases: [] }
  ])
  it.each([
    ["a wiki link that does not end", repeated("a", "[[")],
    ["a label", repeated("a", "[[a|")],
    ["a link that does not end", repeated("a", "[a](")],
    ["a fragment", repeated("a", "[a](b#")],
    ["commas", repeated("a,")],
    ["slashes", repeated("a/")],
    ["dots", repeated("../")],
    ["digits", repeated("0", "adr-")],
    ["blanks", repeated(" ", "[[a")]
  ])("%s", (_, lengthened) => {
    expect(superLinear((text) => resolveReferences("notes/adr-0002-b.md", text), lengthened)).toBeNull()
    expect(superLinear((text) => judgeDiskPath(`${text}.md`), lengthened)).toBeNull()
  })
})

describe("Markdown is shown, quoted and painted in time that grows with its length", () => {
  it.each([
    ["brackets", repeated("[")],
    ["opened links", repeated("[](")],
    ["wiki links", repeated("[[a|")],
    ["stars", repeated("*a")],
    ["stars and low lines", repeated("*a**b_c_")],
    ["backticks", repeated("`a``b```c")],
    ["headings", repeated("#")],
    ["bars", repeated("|")],
    ["rows", repeated("|-|\n")],
    ["footnotes", repeated("[^1]: a\n")],
    ["quotes", repeated("> ")],
    ["blanks", repeated(" ", "a", "b")],
    ["blanks before a marker", repeated(" ", "a", "[S")],
    ["escapes", repeated("\u001b[")],
    ["addresses", repeated("a@")],
    ["tags", repeated("<a ")]
  ])("%s", (_, lengthened) => {
    const works = [
      plainText,
      clean,
      cleanLine,
      (text: string) => carrier([text], "", ""),
      (text: string) => carrier(["a"], text, text),
      (text: string) => matches(text, "a b")
    ]
    for (const work of works) expect(superLinear(work, lengthened)).toBeNull()
    expect(superLinear((text) => wrap(text, 80), lengthened)).toBeNull()
    const front = (text: string) => parseFrontMatter(`---\ntitle: ${text}\n---\n`)
    expect(superLinear(front, lengthened, { length: 64 * 1024 })).toBeNull()
  })
})
