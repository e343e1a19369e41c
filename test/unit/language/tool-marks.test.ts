import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textUnits } from "../../../core/language/text-analysis/index.js"

// Marks of documentation tools are no text of the page, and units keep their offsets.

const textsOf = (markdown: string): ReadonlyArray<string> => textUnits(markdown).map(({ text }) => text)

describe("marks of documentation tools", () => {
  it.each([
    ["a callout", "> [!NOTE]\n> The crane is inspected in March.", ["The crane is inspected in March."]],
    ["a titled callout", "> [!warning] Wind\n> The crane stops.", ["Wind: The crane stops."]],
    ["a container", "::: danger Height\nThe crane is 31 m high.\n:::", ["Height: The crane is 31 m high."]],
    ["an admonition", "!!! note\n    The deposit is 80 euros.", ["The deposit is 80 euros."]],
    ["a shortcode", "{{% alert %}}It needs two operators.{{% /alert %}}", ["It needs two operators."]],
    ["a tag with its text", '{% include note.html content="Built in 1994." %}', ["Built in 1994."]],
    ["a comment of MDX", "{/* It is 90 m long. */}\n\nIt is 80 m long.", ["It is 80 m long."]],
    ["an import of MDX", 'import Note from "./note"\n\nThe pier closes.', ["The pier closes."]],
    [
      "definitions of HTML",
      "<dl><dt>Mole</dt><dd>A stone wall.</dd><dt>Groyne</dt><dd>A wall across the beach.</dd></dl>",
      ["A stone wall.", "A wall across the beach."]
    ],
    [
      "definitions of HTML over several lines",
      "<dl>\n<dt>Mole</dt>\n<dd>\n<p>A stone wall.</p>\n<p>It breaks waves.</p>\n</dd>\n</dl>",
      ["A stone wall.", "It breaks waves."]
    ],
    [
      "a table of contents",
      "- [Cranes](#cranes)\n- [Moles](#moles)\n\nThe yard closes at five.",
      ["The yard closes at five."]
    ],
    ["paragraphs of HTML", "<p>First</p><p>Second</p>", ["First", "Second"]],
    ["labelled lines", "**Type:** boolean<br />\n**Default:** off", ["Type: boolean", "Default: off"]],
    ["questions and answers", "Q: How deep is it?\nA: 2.4 metres.", ["How deep is it?", "2.4 metres."]]
  ])("leaves out %s", (_name, markdown, expected) => {
    expect(textsOf(markdown)).toEqual(expected)
  })

  it("keeps code, initials and cells", () => {
    expect(textsOf("```md\n:::tip\n{{< note >}}\n```")).toEqual([":::tip\n{{< note >}}"])
    expect(textsOf("A. Smith leads the yard.")).toEqual(["A. Smith leads the yard."])
    expect(textsOf("| Pier | Note |\n|---|---|\n| East | one<br>two |")).toEqual([
      "Pier: East; Note: one two"
    ])
  })

  it("finds every unit where its text stands", () => {
    const mark = fc.constantFrom(
      ":::tip\n",
      "{{< note >}}",
      "> [!NOTE]\n> ",
      "<p>",
      "</p>",
      "Q: ",
      "!!! note\n    ",
      "\n\n"
    )
    const words = fc.constantFrom("The crane stops.", "It is high?", "Yes.")
    fc.assert(
      fc.property(fc.array(fc.oneof(mark, words), { maxLength: 12 }), (parts) => {
        const markdown = parts.join("")
        for (const { end, start, text } of textUnits(markdown)) {
          const word = /\p{L}+(?=[.?]$)/u.exec(text)?.[0] ?? ""
          expect(markdown.slice(start, end)).toContain(word)
        }
      })
    )
  })
})
