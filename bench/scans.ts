/** Prints pages at two resolutions, straight, skewed and grey, reads them, and counts wrong characters and numbers. */
import { LiteParse } from "@llamaindex/liteparse"
import { openConverter } from "../adapters/formats/index.js"
import { pdfOfLines } from "../test/support/scanned-pages.js"
import type { RunBench } from "./result.js"

const lines = Array.from({ length: 26 }, (_, row) => {
  const amount = `${((row * 37) % 90) + 10},${String((row * 7919) % 1000).padStart(3, "0")}.${String((row * 53) % 100).padStart(2, "0")}`
  const subject = ["The supplier", "The tenant", "Heron Ltd", "Marlow Pumps"][row % 4]
  const rest = ["pays", "owes", "receives", "returns"][(row * 3 + 1) % 4]
  return `${subject} ${rest} ${amount} EUR by ${(row % 28) + 1} March ${2019 + (row % 9)} under clause ${row + 3} of it.`
})
const flat = (text: string) => text.replace(/\\/g, "").replace(/\s+/g, " ").trim()

/** Edits that turn one text into the other. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
        )
      )
    row = next
  }
  return row.at(-1) ?? 0
}

const numbersOf = (text: string) => text.match(/\d[\d.,]*\d|\d/g) ?? []

const printed = [
  ["straight", {}],
  ["skewed", { skew: 1 }],
  ["grey", { grey: true }],
  ["skewed and grey", { grey: true, skew: 1 }]
] as const

export const scansBench: RunBench = async ({ report }) => {
  const converter = await openConverter({ formatTimeoutMs: 120_000, formatMemoryMb: 1024 })
  for (const dpi of [150, 300])
    for (const [name, options] of printed) {
      const [page] = await new LiteParse({ dpi, quiet: true }).screenshot(pdfOfLines(lines, options), [1])
      if (page === undefined) throw new Error("No page was drawn.")
      const { markdown } = await converter.convert({ name: "page.png", bytes: page.imageBuffer })
      const [wanted, got] = [flat(lines.join(" ")), flat(markdown)]
      const left = [...numbersOf(got)]
      const numbers = numbersOf(wanted)
      const right = numbers.filter((number) => {
        const at = left.indexOf(number)
        if (at >= 0) left.splice(at, 1)
        return at >= 0
      })
      const usual = { floor: null, ratio: null, peer: "none" }
      const metric = `${dpi} dpi, ${name}`
      report({
        ...usual,
        metric: `${metric}: wrong characters`,
        ours: distance(wanted, got),
        n: wanted.length,
        unit: "characters"
      })
      report({
        ...usual,
        metric: `${metric}: numbers right`,
        ours: right.length,
        n: numbers.length,
        unit: "numbers"
      })
    }
  await converter.close()
}
