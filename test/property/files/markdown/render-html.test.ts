import fc from "fast-check"
import { parseHTML } from "linkedom"
import { describe, expect, it } from "vitest"
import { draftHtml, fillHtml } from "../../../../core/files/markdown/index.js"
import { runs } from "../../../support/runs.js"

const tags = new Set(
  "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s section small span strong sub sup table tbody td th thead tr u ul".split(
    " "
  )
)
const attributes = new Set([
  ...["alt", "class", "data-align", "data-document", "data-end", "data-path", "data-start"],
  ...["data-unresolved", "href", "loading", "rel", "src", "start", "target"]
])

const render = (text: string): string =>
  fillHtml(draftHtml(text, "notes/a.md"), {
    document: ({ target }) => (target.includes("known") ? "documents/doc_1" : null),
    file: (path) => `files?path=${encodeURIComponent(path)}`
  })

/** Says what of the HTML could run, load or look like something else; nothing where it is as promised. */
const dangers = (html: string): ReadonlyArray<string> => {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`)
  return [...document.querySelectorAll("body *")].flatMap((element) => {
    const name = element.tagName.toLowerCase()
    const wrong = tags.has(name) ? [] : [`<${name}>`]
    for (const { name: attribute, value } of element.attributes) {
      if (!attributes.has(attribute)) wrong.push(`${name} ${attribute}`)
      if (attribute === "href" && !/^(?:https?:\/\/|mailto:|documents\/doc_1$)/i.test(value))
        wrong.push(`href ${value}`)
      if (attribute === "src" && !/^files\?path=[^.:&#\s][^:&#\s]*$/.test(value)) wrong.push(`src ${value}`)
    }
    const href = element.getAttribute("href")
    if (
      name === "a" &&
      /^https?:|^mailto:/i.test(href ?? "") &&
      element.getAttribute("rel") !== "noopener noreferrer"
    )
      wrong.push("rel")
    return wrong
  })
}

const pieces = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "<svg onload=alert(1)>",
  "<b onclick=alert(1)>",
  "<b>",
  "</b>",
  "<i><b></i></b>",
  "<br>",
  "<a href='javascript:alert(1)'>x</a>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](//evil.test)",
  '[x](https://e.test/" onmouseover="alert(1))',
  "<javascript:alert(1)>",
  "<https://e.test/?a=\"'>",
  "![x](https://evil.test/x.png)",
  "![x](data:image/svg+xml,<svg/>)",
  '![x" onerror="alert(1)](a.png)',
  "![x](../../../etc/x.png)",
  "![](a.svg)",
  "[[known|<b>x]]",
  '[[" onclick="x|y]]',
  "![[x.png|<script>]]",
  "[r]: javascript:alert(1)\n\n[r]",
  "[^1]: <script>\n\nx[^1]",
  '```"><script>\n</code></pre><script>x</script>\n```',
  "| a | b |\n|:-:|--:|\n| <i> | `<s>` |",
  "---\ntitle: <script>\n---\n",
  "%% <script> %%",
  "\u202Eevil\u2066",
  "<!-- <script> -->",
  "# <h1 onclick=x>",
  "> - <details open ontoggle=alert(1)>",
  "\0",
  "\r\n"
]

describe("a document as HTML", () => {
  it.each(pieces)("runs nothing and loads nothing foreign: %j", (piece) => {
    expect(dangers(render(piece))).toEqual([])
  })

  it("runs nothing, whatever hostile pieces stand beside each other", () => {
    const text = fc.array(
      fc.oneof(fc.constantFrom(...pieces), fc.string(), fc.constantFrom("\n", "\n\n", " ", "*", "`", "]")),
      {
        maxLength: 12
      }
    )
    fc.assert(
      fc.property(text, (parts) => {
        expect(dangers(render(parts.join("")))).toEqual([])
      }),
      { numRuns: runs(40) }
    )
  })

  it("says where each block stands in the source", () => {
    const source = "---\ntags: [a]\n---\r\n\r\n# One\r\n\r\nTwo\r\nlines\r\n\r\n- item\r\n"
    const places = [...render(source).matchAll(/data-start="(\d+)" data-end="(\d+)"/g)]
    const texts = places.map(([, start, end]) => source.slice(Number(start), Number(end)))
    expect(texts).toEqual(expect.arrayContaining(["# One", "Two\r\nlines", "- item"]))
  })
})
