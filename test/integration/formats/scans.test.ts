/** A scanned contract, as a picture and as a PDF of pictures, answers with its page; bombs are refused in words. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LiteParse } from "@llamaindex/liteparse"
import { beforeAll, expect, it, vi } from "vitest"
import { openConverter } from "../../../adapters/formats/index.js"
import { createEngine } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"
import { pdfOfImage, pdfOfLines } from "../../support/scanned-pages.js"

// Read when the folder's module is loaded, so before the imports below.
vi.hoisted(() => {
  process.env["KANON_READ_PICTURES"] = "1"
})

let folder = ""
let scan: Buffer
const lines = [
  "Service contract",
  "This contract is made between Heron Ltd and Marlow Pumps.",
  "The contract begins on 1 March 2025 and ends on 28 February 2027.",
  "The monthly fee is 1,250.00 EUR, payable within 30 days."
]

beforeAll(async () => {
  folder = temporaryFolder("scans")
  scan = await drawn(lines)
}, 60_000)

const drawn = async (text: ReadonlyArray<string>, dpi = 150): Promise<Buffer> => {
  const [page] = await new LiteParse({ dpi, quiet: true }).screenshot(pdfOfLines(text), [1])
  if (page === undefined) throw new Error("No page was drawn.")
  return page.imageBuffer
}

it("answers from a picture, and from the second page of a PDF of pictures", {
  timeout: 180_000
}, async () => {
  for (const [name, bytes, page] of [
    ["contract.png", scan, 1],
    ["contract.pdf", pdfOfImage(scan), 2]
  ] as const) {
    const vault = join(folder, name.replace(".", "-"))
    mkdirSync(vault)
    writeFileSync(join(vault, name), bytes)
    const engine = await createEngine({
      vault,
      data: ":memory:",
      formatTimeoutMs: 120_000,
      formatMemoryMb: 1024
    })
    await engine.ingest({ wait: true })
    const answer = await engine.ask("When does the contract end?")
    expect(answer.answer).toContain("28 February 2027")
    expect(answer.sources[0]).toMatchObject({ page })
    const [document] = (await engine.documents.list()).items
    const { origin } = await engine.documents.lineage(document?.id ?? "")
    expect(origin.warnings.join()).toMatch(/Read by tesseract\.js 7, 9\d %\./)
    await engine.close()
  }
})

it("keeps rows of columns as a table", { timeout: 120_000 }, async () => {
  const converter = await openConverter({ formatTimeoutMs: 120_000 })
  const bytes = await drawn([
    "Part\tPrice\tStock",
    "Pump\t1,250.00\t17",
    "Valve\t310.50\t204",
    "Gasket\t12.75\t980"
  ])
  const { markdown } = await converter.convert({ name: "parts.png", bytes })
  await converter.close()
  expect(markdown).toContain("| Valve | 310.50 | 204 |")
})

it("refuses a picture of 60,000 pixels by its header, and one that is none", {
  timeout: 60_000
}, async () => {
  const converter = await openConverter()
  const huge = Buffer.from(scan)
  huge.writeUInt32BE(60_000, 16)
  await expect(converter.convert({ name: "huge.png", bytes: huge })).rejects.toMatchObject({
    code: "file_too_large",
    message: expect.stringContaining("60000 by")
  })
  await expect(converter.convert({ name: "no.png", bytes: Buffer.from("no") })).rejects.toMatchObject({
    code: "file_broken"
  })
  await converter.close()
})
