import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linkResolver } from "../../../../core/files/links/link-resolver.js"
import { type DocumentLink, documentLinks } from "../../../../core/files/links/links.js"
import { parseFrontMatter } from "../../../../core/files/markdown/front-matter.js"
import { parseMarkdown } from "../../../../core/files/markdown/parse-markdown.js"
import { anyDocument, markdownFixture } from "../../../support/markdown.js"

const linksOf = (source: string): ReadonlyArray<DocumentLink> =>
  documentLinks(parseMarkdown(source, parseFrontMatter(source).bodyStart))
const targets = (source: string): ReadonlyArray<string> => linksOf(source).map((link) => link.target)

describe("documentLinks", () => {
  it("finds every link between documents, and no other", () => {
    const found = linksOf(markdownFixture("everything")).map(({ fragment, kind, label, target }) => [
      kind,
      target,
      fragment,
      label
    ])
    expect(found).toEqual([
      ["markdown", "../notes/first.md", "setup", "relative link"],
      ["wiki", "wiki link", null, null],
      ["markdown", "a folder/b note.md", null, "spaces"],
      ["markdown", "a folder/b note.md", null, "percent"],
      ["markdown", "../notes/reference.md", null, "reference"],
      ["markdown", "./collapsed.md", null, "collapsed"],
      ["markdown", "/root/shortcut.md", null, "shortcut"],
      ["wiki", "target", null, "label"],
      ["wiki", "folder/target", "Some heading", null],
      ["wiki", "embedded", null, null],
      ["markdown", "badge.md", null, "badge"],
      ["wiki", "in table", null, "shown"],
      ["markdown", "cell.md", null, "cell"],
      ["wiki", "in quote", null, null],
      ["markdown", "item.md", null, "item"],
      ["wiki", "in list", null, null],
      ["markdown", "in-footnote.md", null, "a link"]
    ])
  })

  it.each([
    ["[a](b.md 'title')", ["b.md"]],
    ["[a](b.md (title) )", ["b.md"]],
    ["[a](b(c(d)).md)", ["b(c(d)).md"]],
    ["[a](b\\).md)", ["b).md"]],
    ["[a](100%.md)", ["100%.md"]],
    ["[a](b.md?raw=1#x)", ["b.md"]],
    ["[a [b](c.md)](d.md)", ["c.md"]],
    ["[[a]](b.md)", ["a"]],
    ["[a](b.md", []],
    ["[a](<b.md)", []],
    ["\\[a](b.md)", []],
    ["`[a](b.md)", ["b.md"]],
    ["``[a](b.md)` [c](d.md)``", []],
    ["[a](//host/x.md) [b](ftp://x) [c](#x) [d]()", []],
    ["[[]] [[ ]] [[a\nb]] [[|x]] [[#x]]", []],
    ["[a\nb](c.md)", ["c.md"]],
    ["[a][none] [none][]", []]
  ])("reads %j as %j", (source, expected) => {
    expect(targets(source)).toEqual(expected)
  })

  it("gives ordered offsets of markup that starts and ends as links do, for any text", () => {
    fc.assert(
      fc.property(anyDocument, (source) => {
        let before = 0
        for (const { end, kind, start, target } of linksOf(source)) {
          expect(start).toBeGreaterThanOrEqual(before)
          before = start
          const text = source.slice(start, end)
          expect(target).not.toBe("")
          expect(kind === "wiki" ? /^!?\[\[[^\n\r]*\]\]$/.test(text) : /^\[[\s\S]*[\])]$/.test(text)).toBe(
            true
          )
        }
      }),
      { numRuns: 500 }
    )
  })
})

const vault = [
  ["readme", "README.md", "Home", []],
  ["valve", "products/valve.md", "KT-600 Valve", ["KT 600"]],
  ["valveOld", "archive/products/valve.md", "Old valve", []],
  ["deep", "sites/north/notes/log.md", "Log", []],
  ["north", "sites/north/log.md", "Northern log", ["the log"]],
  ["south", "sites/south/log.md", "Southern log", ["the log"]],
  ["space", "notes/First Note.md", "First", []],
  ["cafe", "notes/Cafe\u0301.md", "Café", []],
  ["index", "sites/index.md", "Sites", []],
  ["eip145", "EIPS/eip-145.md", "Shifts", []],
  ["eip1013", "EIPS/eip-1013.md", "Fork", []],
  ["adr3", "decisions/adr-0003-queue.md", "Queue", []],
  ["adr7", "decisions/adr-0007-store.md", "Store", []],
  ["plain3", "decisions/0003-plain.md", "Plain", []],
  ["plain7", "decisions/0007-x.md", "X", []],
  ["twin1", "twins/t-1-a.md", "T", []],
  ["twin2", "twins/t-1-b.md", "T", []],
  ["comma", "notes/comma.md", "Law, order", []]
] as const
const documents = vault.map(([id, path, title, aliases]) => ({ id, path, title, aliases }))
const resolver = linkResolver(documents)

describe("linkResolver.resolve", () => {
  it.each([
    ["products/valve.md", "../README.md", "readme"],
    ["products/valve.md", "../readme", "readme"],
    ["products/valve.md", "/sites/north/log.md", "north"],
    ["products/valve.md", "./valve", "valve"],
    ["products/valve.md", "../notes/first%20note.md", null],
    ["products/valve.md", "../notes/FIRST NOTE.md", "space"],
    ["notes/First Note.md", "Caf\u00e9.md", "cafe"],
    ["notes/First Note.md", "valve.md", "valveOld"],
    ["README.md", "../README.md", null],
    ["README.md", "sites/", "index"],
    ["README.md", "../../../../etc/passwd", null],
    ["README.md", "picture.png", null]
  ])("from %s the path %s leads to %s", (from, target, id) => {
    expect(resolver.resolve(from, { kind: "markdown", target })).toBe(id)
  })

  it.each([
    ["README.md", "products/valve", "valve"],
    ["README.md", "archive/products/valve.md", "valveOld"],
    ["README.md", "First note", "space"],
    ["archive/x.md", "valve", "valveOld"],
    ["archive/x.md", "products/valve", "valve"],
    ["archive/products/x.md", "valve", "valveOld"],
    ["README.md", "valve", "valveOld"],
    ["sites/north/x.md", "log", "north"],
    ["sites/north/notes/x.md", "log", "deep"],
    ["sites/south/x.md", "log", "south"],
    ["sites/south/x.md", "the  LOG", "south"],
    ["README.md", "north/log", "north"],
    ["README.md", "kt-600 valve", "valve"],
    ["README.md", "KT 600", "valve"],
    ["notes/x.md", "../README", "readme"],
    ["README.md", "Café", "cafe"],
    ["README.md", "nothing", null],
    ["README.md", "../../x", null]
  ])("from %s the name %s means %s", (from, target, id) => {
    expect(resolver.resolve(from, { kind: "wiki", target })).toBe(id)
  })

  it.each([
    ["web/site/blog/a.md", "/manual/x.html", "page"],
    ["web/site/blog/a.md", "/manual/y.html", "note"],
    ["web/site/blog/a.md", "/manual/y.htm", "note"],
    ["web/site/blog/a.md", "/manual/y", "note"],
    ["web/site/blog/a.md", "/manual/", "home"],
    ["web/site/blog/a.md", "/manual/index.html", "home"],
    ["web/site/blog/a.md", "../manual/y.html", "note"],
    ["web/site/blog/a.md", "../manual/none.html", null],
    ["web/site/blog/a.md", "/none/x.html", null],
    ["web/site/blog/a.md", "/", null],
    ["other/a.md", "/manual/x.html", null],
    ["web/site/en/b.md", "/manual/x.html", "page"],
    ["a.md", "/web/site/manual/y.html", "note"]
  ])("on a website in a folder, from %s the address %s leads to %s", (from, target, id) => {
    const site = linkResolver([
      { id: "page", path: "web/site/manual/x.html.md", title: "X", aliases: [] },
      { id: "note", path: "web/site/manual/y.md", title: "Y", aliases: [] },
      { id: "home", path: "web/site/manual/index.md", title: "Manual", aliases: [] },
      { id: "inner", path: "web/site/en/manual/x.html.md", title: "X", aliases: [] }
    ])
    expect(site.resolve(from, { kind: "markdown", target })).toBe(id)
  })

  it("does not depend on the order of the documents", () => {
    const questions = documents.flatMap(({ path }) =>
      ["log", "valve", "the log", "T", "notes/log", "README"].map(
        (target) => [path, { kind: "wiki", target }] as const
      )
    )
    const answers = questions.map(([from, link]) => resolver.resolve(from, link))
    const shuffled = fc.shuffledSubarray(documents, { minLength: documents.length })
    fc.assert(
      fc.property(shuffled, (order) => {
        const other = linkResolver(order)
        expect(questions.map(([from, link]) => other.resolve(from, link))).toEqual(answers)
      })
    )
  })

  it("finds every document by its path from everywhere, and takes any target", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.constantFrom(...documents),
        fc.string(),
        (from, to, noise) => {
          expect(resolver.resolve(from.path, { kind: "markdown", target: `/${to.path}` })).toBe(to.id)
          expect(resolver.resolve(from.path, { kind: "wiki", target: to.path })).toBe(to.id)
          const found = resolver.resolve(from.path, { kind: "wiki", target: noise })
          expect(found === null || documents.some((document) => document.id === found)).toBe(true)
        }
      )
    )
  })
})

describe("linkResolver.resolveReference", () => {
  it.each([
    ["EIPS/eip-1013.md", 145, "eip145"],
    ["EIPS/eip-1013.md", "145", "eip145"],
    ["EIPS/eip-1013.md", "EIP-145", "eip145"],
    ["EIPS/eip-1013.md", 14, null],
    ["notes/x.md", 145, null],
    ["decisions/adr-0007-store.md", 3, "adr3"],
    ["decisions/adr-0007-store.md", "0003", "adr3"],
    ["decisions/0007-x.md", 3, "plain3"],
    ["twins/t-2-c.md", 1, null],
    ["README.md", "[[valve|the valve]]", "valveOld"],
    ["README.md", "[x](products/valve.md#y)", "valve"],
    ["README.md", "products/valve", "valve"],
    ["README.md", "KT 600", "valve"],
    ["README.md", "", null]
  ])("in %s %j names %s", (from, value, id) => {
    expect(resolver.resolveReference(from, value)).toBe(id)
  })

  it("reads lists of any shape, each document once", () => {
    const from = "EIPS/eip-1013.md"
    expect(resolver.resolveReferences(from, "145, 1013,145, 7")).toEqual(["eip145", "eip1013"])
    expect(resolver.resolveReferences(from, [145, ["EIP-1013", null], { a: 145 }])).toEqual([
      "eip145",
      "eip1013"
    ])
    expect(resolver.resolveReferences(from, "Law, order")).toEqual(["comma"])
    expect(resolver.resolveReferences(from, { a: 145 })).toEqual([])
  })
})
