/** Other readers of files, for comparison: libraries that are here, and programs where they are installed. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { LiteParse } from "@llamaindex/liteparse"
import mammoth from "mammoth"
import { convertFragment } from "../adapters/formats/html.js"

const run = promisify(execFile)
const library = new LiteParse({ outputFormat: "markdown", ocrEnabled: false, imageMode: "off", quiet: true })

/** A reader and the formats that it reads. */
export interface OtherReader {
  readonly name: string
  readonly formats: ReadonlyArray<string>
  /** The text of a file, null where the reader is not installed or refuses the file. */
  readonly read: (path: string, bytes: Uint8Array) => Promise<string | null>
}

const program = (file: string, argumentsOf: (path: string) => ReadonlyArray<string>): OtherReader["read"] => {
  return async (path) => {
    try {
      return (await run(file, argumentsOf(path), { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 })).stdout
    } catch {
      return null
    }
  }
}

export const otherReaders: ReadonlyArray<OtherReader> = [
  {
    name: "liteparse",
    formats: ["pdf"],
    read: async (_path, bytes) => {
      const { pages } = await library.parse(Buffer.from(bytes))
      return pages.map((page) => page.markdown).join("\n\n")
    }
  },
  { name: "pdftotext", formats: ["pdf"], read: program("pdftotext", (path) => ["-layout", path, "-"]) },
  {
    name: "mammoth",
    formats: ["docx"],
    read: async (_path, bytes) => {
      const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) })
      return convertFragment(value)
    }
  },
  {
    name: "pandoc",
    formats: ["docx", "odt", "epub", "html"],
    read: program("pandoc", (path) => [
      "-t",
      "markdown-simple_tables-multiline_tables-grid_tables-smart",
      "--wrap=none",
      path
    ])
  }
]
