import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { plainInline, plainText } from "../../../../core/files/markdown/plain-text.js"
import { anyDocument } from "../../../support/markdown.js"

describe("plainText", () => {
  it.each([
    ["# A *b* #", "A b"],
    ["Setext\n======", "Setext"],
    ["one\ntwo\n\nthree", "one two\nthree"],
    ["- a\n- b\n  c\n1. d", "a\nb c\n1. d"],
    ["- [ ] open\n- [x] done", "open\ndone"],
    ["> quoted\n> on", "quoted on"],
    ["**strong** _soft_ ~~gone~~ snake_case_name 2 * 3 * 4", "strong soft gone snake_case_name 2 * 3 * 4"],
    ["***both*** **a *b* c**", "both a b c"],
    ["a lone *star and a_", "a lone *star and a_"],
    ["[label](x.md 'title') [full][ref] [short]", "label full [short]"],
    ["![alt](x.png) [![badge](b.png)](c.md)", "alt badge"],
    ["[[target]] [[target#part]] [[a/b|label]] ![[embed]] [[#part]]", "target target label embed part"],
    ["`a * b` ``c ` d``", "a * b c ` d"],
    ["note[^1] and <b>bold</b><br>x <!-- gone --> <https://a.org>", "note and bold x https://a.org"],
    ["\\*kept\\* &amp; &lt;b&gt; &#65;", "*kept* & <b> A"],
    ["| a | b |\n|---|:-:|\n| [[x\\|y]] | 2 |", "a | b\ny | 2"],
    ["```js\nlet a_b = '*'\n```\nafter", "let a_b = '*'\nafter"],
    ["[ref]: x.md 'title'\n[^1]: The note.", "The note."],
    ["---\n***", ""],
    ["*a\n\nb*", "*a\nb*"]
  ])("shows %j as %j", (markdown, plain) => {
    expect(plainText(markdown)).toBe(plain)
  })

  it("leaves words without markup as they are", () => {
    const words = fc.array(fc.stringMatching(/^[a-zäöü漢]{1,9}[.,?]?$/), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(words, (list) => {
        expect(plainText(list.join(" "))).toBe(list.join(" "))
        expect(plainInline(list.join(" \n"))).toBe(list.join(" "))
      })
    )
  })

  it("never throws, adds no lines, and shows no blank one", () => {
    fc.assert(
      fc.property(anyDocument, (markdown) => {
        const plain = plainText(markdown)
        if (plain !== "") for (const line of plain.split("\n")) expect(line.trim()).not.toBe("")
        expect(plain.split("\n").length).toBeLessThanOrEqual(markdown.split(/\r\n?|\n/).length)
      }),
      { numRuns: 500 }
    )
  })
})
