import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { broken, type Conversion } from "./converted.js"
import { decodeText } from "./decode-text.js"

/**
 * Converts plain text: lines and lists stay as they are; what Markdown would take for HTML, a heading or front matter
 * is escaped.
 */
export const convertText = ({ bytes }: ConvertibleFile): Conversion => {
  if (isBinary(bytes)) throw broken("The file is not text.")
  return { markdown: plainMarkdown(decodeText(bytes)) }
}

/** Plain text as Markdown that reads the same. */
export const plainMarkdown = (text: string): string =>
  text
    .replace(/[^\P{C}\n\t]/gu, (found) => (/\p{Cf}|\p{Co}/u.test(found) ? found : ""))
    .replace(/\f/g, "\n\n")
    .replace(/<(?=[!/?a-z])/gi, "\\<")
    .replace(/^([ \t]*)(#{1,6}(?=\s|$)|=+[ \t]*$|-{3,}[ \t]*$|`{3}|~{3})/gm, "$1\\$2")
    // Four blanks would begin a block of code.
    .replace(/^[ \t]{4,}(?=\S)/gm, "   ")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

/** Whether bytes hold what no text holds: NUL without being UTF-16, or many control characters. */
const isBinary = (bytes: Uint8Array): boolean => {
  const start = bytes.subarray(0, 8192)
  const isUtf16 = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)
  if (isUtf16) return false
  const control = start.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)).length
  const zeros = start.filter((byte) => byte === 0).length
  return control - zeros > start.length / 20 || (zeros > 0 && !looksUtf16(start, zeros))
}

const looksUtf16 = (start: Uint8Array, zeros: number): boolean =>
  zeros > start.length * 0.3 && start.length > 7
