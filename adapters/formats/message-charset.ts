import iconv from "iconv-lite"
import { decodeText, detectCharset } from "./decode-text.js"
import { likelyCodePage } from "./zip-names.js"

/**
 * The bytes of a message with a charset for its 8-bit text: detected where none is declared, and where the declared
 * one is ASCII or cannot be true. A message in UTF-16 becomes one in UTF-8.
 */
export const withCharsets = (bytes: Uint8Array): Uint8Array => {
  if (isUtf16(bytes)) return withDeclared(Buffer.from(decodeText(bytes)).toString("latin1"), "utf-8", true)
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = raw.toString("latin1")
  if (!/[\x80-\xff]/.test(text)) return bytes
  const lines = text.split("\n").filter((line) => /[\x80-\xff]/.test(line))
  const charset = detectCharset(Buffer.from(lines.join("\n"), "latin1"))
  return withDeclared(withHeadersInUtf8(text), charset, false)
}

/** The headers of a message and of each of its parts. */
const heads = /(?:^|(?<=\n)--[^\r\n]+\r?\n)(?:[^\r\n]+\r?\n)+/g
const headerPages = ["utf8", "windows-1252", "shift_jis", "gbk", "euc-kr", "windows-1251", "koi8-r"]

/**
 * Headers with bytes that no header may hold, such as names of attachments, in UTF-8: in the charset that the message
 * declares for its text where it can be, else in the one that makes words of them.
 */
const withHeadersInUtf8 = (text: string): string => {
  const isRaw = /[\x80-\xff]/
  const raw = (text.match(heads) ?? []).filter((head) => isRaw.test(head))
  if (raw.length === 0) return text
  const bytes = Buffer.from(raw.join("\n"), "latin1")
  const declared = Array.from(text.matchAll(/;\s*charset\s*=\s*"?([\w-]+)/gi), ([, name = ""]) => name).find(
    (name) => iconv.encodingExists(name) && !/^(?:utf-?(?:8|16)|us-ascii|ascii)/i.test(name)
  )
  const isUtf8 = likelyCodePage(bytes, headerPages) === "utf8"
  const page =
    !isUtf8 && declared !== undefined && !iconv.decode(bytes, declared).includes("\ufffd")
      ? declared
      : likelyCodePage(bytes, headerPages)
  return text.replace(heads, (head) =>
    isRaw.test(head) ? Buffer.from(iconv.decode(Buffer.from(head, "latin1"), page)).toString("latin1") : head
  )
}

const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff) ||
  (bytes.length > 8 &&
    (bytes[1] === 0 || bytes[0] === 0) &&
    bytes.subarray(0, 200).filter((byte) => byte === 0).length > 60)

const withDeclared = (text: string, charset: string, replacesAll: boolean): Uint8Array => {
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length
  const head = text.slice(0, end)
  const whole = /^content-type:/im.test(head)
    ? text
    : `Content-Type: text/plain; charset=${charset}\r\n${text}`
  const declared = whole.replace(
    /^(content-type:[ \t]*text\/(?:plain|html|calendar)\b)((?:[^\r\n]|\r?\n[ \t])*)/gim,
    (line, type: string, parameters: string) => {
      const given = /;\s*charset\s*=\s*"?([^\s";]+)"?/i.exec(parameters)
      if (given === null) return `${type}; charset=${charset}${parameters}`
      const isFalse = /^(?:us-ascii|ascii|ansi_x3.*|unknown.*|x-unknown|default)$/i.test(given[1] ?? "")
      const isNotUtf8 = /^utf-?8$/i.test(given[1] ?? "") && charset !== "utf-8"
      return replacesAll || isFalse || isNotUtf8
        ? `${type}${parameters.replace(given[0], `; charset=${charset}`)}`
        : line
    }
  )
  return Buffer.from(declared, "latin1")
}
