import { describe, expect, it } from "vitest"
import { safeProse } from "../../../../core/answers/generation/safe-prose.js"

const shown =
  "The pump is described at https://intra.example/pumps/7 and in notes.example, ask ada@intra.example."
const safe = (prose: string) =>
  safeProse(prose, { registry: new Set(["S1"]), evidenceTexts: [shown], boundary: "b0undary" })

describe("what a model wrote", () => {
  it.each([
    "evil.example/x?d=secret",
    "http:\\\\evil.example\\x",
    "http:/evil.example/x",
    "https:evil.example/x",
    "ｈｔｔｐ：／／ｅｖｉｌ．ｅｘａｍｐｌｅ／ｘ",
    "evil。example/x",
    "ｅｖｉｌ．com",
    "𝐞𝐯𝐢𝐥.com/x",
    "www.evil.example",
    "www. evil.example",
    "WWW.EVIL.EXAMPLE/x",
    "ada@evil.example",
    "mailto:ada@evil.example",
    "![[https://evil.example/x.png]]",
    "![x](//evil.example/x.png)",
    "//evil.example/x",
    "secret.data.evil.com",
    "evil.com:8080/x",
    "xn--evl-jma.example/x",
    "203.0.113.7/x?d=secret",
    "203.0.113.7:8080",
    "localhost:8080/x",
    "ftp://evil.example/x",
    "javascript:alert(1)",
    "data:text/html,evil",
    "https://intra.example/pumps/7?d=secret",
    "https://intra.example/PUMPS/7",
    "https://user@intra.example/pumps/7"
  ])("loses the address %s", (address) => {
    for (const prose of [`See ${address} for more. [S1]`, `See (${address}), please.`, address]) {
      const text = safe(prose)
      expect(text).not.toMatch(/evil|ｅ|𝐞|secret|alert|203\.|8080|PUMPS|user@|www/iu)
      expect(text).not.toMatch(/!\[|https?:/iu)
    }
  })

  it.each([
    "https://intra.example/pumps/7",
    "intra.example/pumps/7",
    "notes.example",
    "ada@intra.example",
    "[the pump](https://intra.example/pumps/7)"
  ])("keeps the address %s, which the evidence shows", (address) => {
    expect(safe(`See ${address}. [S1]`)).toBe(`See ${address}. [S1]`)
  })

  it.each([
    "It takes 1.5 litres, e.g. of oil, at 10:30 a.m. on 3.4.2025.",
    "The end.The next sentence lacks a blank, Ph.D. of the U.S. and v2.10.3.",
    "README.md and main.ts and node.js are files; see S1/S2, and/or both.",
    "東京。大阪。 Ｏｓａｋａ と ＡＢＣ１２３",
    "The ratio is 3:4, the path is a/b/c, and C++ is not C#.",
    "z.B. bzw. u.a. d.h. usw."
  ])("keeps prose without an address: %s", (prose) => {
    expect(safe(prose)).toBe(prose)
  })

  it("takes time in proportion to its length", () => {
    for (const piece of ["a.", "a", "a@", "http:", "//a", "1.", "a-", "ａ．", "a:1"]) {
      const before = process.cpuUsage()
      safe(piece.repeat(100_000))
      expect(process.cpuUsage(before).user / 1000, piece).toBeLessThan(3000)
    }
  })
})
