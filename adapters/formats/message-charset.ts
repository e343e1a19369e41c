import { decodeText, detectCharset } from "./decode-text.js"

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
  return withDeclared(text, charset, false)
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
