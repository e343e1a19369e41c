import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ConvertedFile, type Converter, openConverter } from "../../../adapters/formats/index.js"

/** Texts that a file's conversion must contain, and texts that it must not. */
interface Expected {
  readonly file: string
  readonly producer: string
  readonly must: ReadonlyArray<string>
  readonly never?: ReadonlyArray<string>
  /** Texts that must come in this order. */
  readonly order?: ReadonlyArray<string>
  readonly pages?: Readonly<Record<string, number>>
  readonly title?: string
  readonly author?: string
  readonly images?: number
  /** Texts that an attachment must contain, or the reason why it has none. */
  readonly attachments?: Readonly<Record<string, ReadonlyArray<string> | string>>
}

const folder = new URL("../../fixtures/formats/", import.meta.url)
const bytesOf = (file: string) => readFileSync(new URL(file, folder))
const manifest: {
  readonly files: ReadonlyArray<Expected>
  /** The failure of a file; null where it is converted, `*` where either is fine. */
  readonly hostile: ReadonlyArray<{ readonly file: string; readonly code: string | null }>
} = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8"))

let converter: Converter
beforeAll(async () => {
  converter = await openConverter({ formatTimeoutMs: 60_000 })
})
afterAll(() => converter.close())

const formats = ["html", "pdf", "docx", "pptx", "xlsx", "csv", "eml", "epub", "odt", "txt"]

describe.each(formats)("%s files of different producers", (format) => {
  const files = manifest.files.filter(({ file }) => file.startsWith(`${format}/`))

  it("are fifteen or more", () => expect(files.length).toBeGreaterThanOrEqual(15))

  it.each(files.map((one) => [one.file, one] as const))("%s keeps its text", async (_file, expected) => {
    const converted = await converter.convert({ name: expected.file, bytes: bytesOf(expected.file) })
    expectText(converted, expected)
  })
})

const expectText = (converted: ConvertedFile, expected: Expected) => {
  const { markdown } = converted
  for (const text of expected.must) expect(markdown).toContain(text)
  for (const text of expected.never ?? []) expect(markdown).not.toContain(text)
  const places = (expected.order ?? []).map((text) => markdown.indexOf(text))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  for (const [text, page] of Object.entries(expected.pages ?? {})) {
    const at = markdown.indexOf(text)
    expect(at).toBeGreaterThanOrEqual(0)
    expect(converted.pageStarts.filter((start) => start <= at)).toHaveLength(page)
  }
  if (expected.title !== undefined) expect(converted.title).toBe(expected.title)
  if (expected.author !== undefined) expect(converted.author).toContain(expected.author)
  if (expected.images !== undefined) expect(converted.imagesSkipped).toBe(expected.images)
  for (const [name, texts] of Object.entries(expected.attachments ?? {})) {
    const result = converted.attachments.find((attachment) => attachment.name === name)?.result
    if (typeof texts === "string") expect(result).toMatchObject({ failure: { code: texts } })
    else
      for (const text of texts)
        expect(result).toMatchObject({ converted: { markdown: expect.stringContaining(text) } })
  }
}

describe("hostile files", () => {
  it.each(manifest.hostile.map(({ code, file }) => [file, code] as const))(
    "%s ends with %s",
    async (file, code) => {
      const result = await converter
        .convert({ name: file, bytes: bytesOf(file) })
        .catch((error: unknown) => error)
      if (code === "*") {
        // Text or a listed failure: what matters is that it comes in time.
        expect(result).toSatisfy((one: object) => "markdown" in one || "code" in one)
      } else if (code === null || code === "no_text") {
        expect(result).toHaveProperty("markdown")
        expect(JSON.stringify(result)).not.toContain("root:")
        if (code !== null)
          expect(result).toMatchObject({
            warnings: expect.arrayContaining([expect.objectContaining({ code })])
          })
      } else expect(result).toMatchObject({ code })
    }
  )
})

describe("limits of the child process", () => {
  it("ends a conversion that takes too long, and goes on with the next file", async () => {
    const hasty = await openConverter({ formatTimeoutMs: 1, processes: 1 })
    const bytes = bytesOf("pdf/01-libreoffice-writer-guide.pdf")
    await expect(hasty.convert({ name: "a.pdf", bytes })).rejects.toMatchObject({
      code: "conversion_timeout"
    })
    await hasty.close()
  })

  it("ends a conversion that takes too much memory", async () => {
    const narrow = await openConverter({ formatMemoryMb: 90, formatTimeoutMs: 60_000, processes: 1 })
    const rows = Array.from({ length: 300_000 }, (_, n) => `row ${n},${"x".repeat(40)}`).join("\n")
    const failed = narrow.convert({ name: "a.csv", bytes: Buffer.from(rows) })
    await expect(failed).rejects.toMatchObject({ code: "conversion_memory" })
    const small = await narrow.convert({ name: "b.txt", bytes: Buffer.from("still here") })
    expect(small.markdown).toBe("still here")
    await narrow.close()
  })
})
