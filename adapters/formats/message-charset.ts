import iconv from "iconv-lite"
import { decodeText, detectCharset } from "./decode-text.js"
import { likelyCodePage } from "./zip-names.js"

/**
 * The bytes of a message with a charset for its 8-bit text: detected where none is declared, and where the declared
 * one is ASCII or cannot be true. A message in UTF-16 becomes one in UTF-8.
 */
export const withCharsets = (bytes: Uint8Array): Uint8Array => {
  if (isUtf16(bytes))
    return withReadableParts(withDeclared(Buffer.from(decodeText(bytes)).toString("latin1"), "utf-8", true))
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = raw.toString("latin1")
  if (!/[\x80-\xff]/.test(text)) return withReadableParts(raw)
  const lines = text.split("\n").filter((line) => /[\x80-\xff]/.test(line))
  const charset = detectCharset(Buffer.from(lines.join("\n"), "latin1"))
  return withReadableParts(withDeclared(withHeadersInUtf8(text), charset, false))
}

/**
 * A message whose parts of text have a true charset also where they are encoded, and whose flowed lines are joined
 * within their quotes: the parser takes the marks of quotes into the joined lines.
 */
const withReadableParts = (message: Buffer): Uint8Array => {
  const text = message.toString("latin1")
  const pieces: Array<string> = []
  let at = 0
  for (const { end, start } of partsOf(text)) {
    const head = /^(?:[^\r\n]+\r?\n)*/.exec(text.slice(start, Math.min(end, start + headMax)))?.[0] ?? ""
    const part = readablePart(head, text.slice(start + head.length, end))
    if (part === null) continue
    pieces.push(text.slice(at, start), part)
    at = end
  }
  return at === 0 ? message : Buffer.from(pieces.join("") + text.slice(at), "latin1")
}

/** Characters of the headers of a part that are looked at. */
const headMax = 64 * 1024

/** Line ranges of the message and of its parts, headers included. */
const partsOf = (text: string): ReadonlyArray<{ readonly start: number; readonly end: number }> => {
  const boundaries = new Set(
    Array.from(
      text.matchAll(/\bboundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s";]{1,200}))/gi),
      ([, quoted, plain]) => (quoted ?? plain ?? "").trimEnd()
    )
  )
  const delimiters =
    boundaries.size === 0
      ? []
      : Array.from(text.matchAll(/^--([^\r\n]{1,210})\r?$/gm)).filter(([, line = ""]) => {
          const name = line.trimEnd()
          return boundaries.has(name) || (name.endsWith("--") && boundaries.has(name.slice(0, -2)))
        })
  const starts = [0, ...delimiters.map((found) => text.indexOf("\n", found.index) + 1 || text.length)]
  const ends = [...delimiters.map(({ index }) => index), text.length]
  return starts.flatMap((start, at) => {
    const end = ends[at] ?? text.length
    return [{ start, end }, ...messagesWithin(text, start, end)]
  })
}

/** The message that a part holds, if it holds one as it is. */
const messagesWithin = (
  text: string,
  start: number,
  end: number
): ReadonlyArray<{ readonly start: number; readonly end: number }> => {
  const head = /^(?:[^\r\n]+\r?\n)*/.exec(text.slice(start, Math.min(end, start + headMax)))?.[0] ?? ""
  if (!/^content-type:[ \t]*message\/rfc822/im.test(head)) return []
  const inner =
    start +
    head.length +
    (/^\r?\n/.exec(text.slice(start + head.length, start + head.length + 2))?.[0].length ?? 0)
  return inner < end ? [{ start: inner, end }] : []
}

/** The headers and the body of a part of text that has to change; null for other parts. */
const readablePart = (head: string, rest: string): string | null => {
  const contentType = /^content-type:((?:[^\r\n]|\r?\n[ \t])*)/im.exec(head)
  const value = contentType?.[1] ?? " text/plain"
  const type = /^\s*(text\/(?:plain|html))\b/i.exec(value)?.[1]?.toLowerCase()
  if (type === undefined || /^content-disposition:\s*attachment/im.test(head)) return null
  const gap = /^\r?\n/.exec(rest)?.[0]
  if (gap === undefined) return null
  const encoding = /^content-transfer-encoding:\s*([\w-]+)/im.exec(head)?.[1]?.toLowerCase() ?? ""
  const isFlowed = type === "text/plain" && /;\s*format\s*=\s*"?flowed\b/i.test(value)
  const isEncoded = encoding === "base64" || encoding === "quoted-printable"
  if (!isFlowed && !isEncoded) return null
  const body = decodedBody(rest.slice(gap.length), encoding)
  const declared = /;\s*charset\s*=\s*"?([^\s";]+)"?/i.exec(value)
  const charset = isEncoded ? trueCharset(body, declared?.[1], type) : null
  // Charsets whose bytes are not those of ASCII have lines of another kind.
  const isJoined = isFlowed && !/^(?:utf-?(?:16|32)|iso-2022|hz)/i.test(charset ?? declared?.[1] ?? "")
  if (charset === null && !isJoined) return null
  const withoutOld = (text: string, found: RegExpExecArray | null) =>
    found === null || charset === null ? text : text.replace(found[0], "")
  const newValue =
    withoutOld(isJoined ? value.replace(/;\s*(?:format|delsp)\s*=\s*"?\w+"?/gi, "") : value, declared) +
    (charset === null ? "" : `; charset=${charset}`)
  const others = head
    .replace(/^content-type:(?:[^\r\n]|\r?\n[ \t])*\r?\n/im, "")
    .replace(isJoined ? /^content-transfer-encoding:(?:[^\r\n]|\r?\n[ \t])*\r?\n/im : /(?!)/, "")
  const isDeleted = /;\s*delsp\s*=\s*"?yes\b/i.test(value)
  return [
    others,
    `Content-Type:${newValue}\r\n`,
    isJoined ? "Content-Transfer-Encoding: base64\r\n" : "",
    "\r\n",
    isJoined
      ? `${Buffer.from(joinedLines(body.toString("latin1"), isDeleted), "latin1")
          .toString("base64")
          .replace(/.{76}/g, "$&\r\n")}\r\n`
      : rest.slice(gap.length)
  ].join("")
}

const decodedBody = (body: string, encoding: string): Buffer =>
  encoding === "base64"
    ? Buffer.from(body, "base64")
    : encoding === "quoted-printable"
      ? Buffer.from(
          body
            .replace(/[ \t]+$/gm, "")
            .replace(/=\r?\n/g, "")
            .replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
          "latin1"
        )
      : Buffer.from(body, "latin1")

/** The charset of a body that declares none, or one that it is not in: what a page says of itself, else as detected. */
const trueCharset = (body: Buffer, declared: string | undefined, type: string): string | null => {
  if (!body.some((byte) => byte >= 0x80)) return null
  const isUtf8 = declared !== undefined && /^utf-?8$/i.test(declared)
  const detected = detectCharset(body)
  const isTrue = declared !== undefined && !falseCharsets.test(declared) && !(isUtf8 && detected !== "utf-8")
  if (isTrue) return null
  const ofPage =
    type === "text/html"
      ? /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(body.subarray(0, 4096).toString("latin1"))?.[1]
      : undefined
  return ofPage !== undefined &&
    detected !== "utf-8" &&
    !/^utf-?8$/i.test(ofPage) &&
    iconv.encodingExists(ofPage)
    ? ofPage
    : detected
}

const falseCharsets = /^(?:us-ascii|ascii|ansi_x3.*|unknown.*|x-unknown|default)$/i

/** Lines of `format=flowed`, joined where they go on with the same depth of quotes. */
const joinedLines = (text: string, deletesBlank: boolean): string => {
  const lines: Array<{ depth: number; text: string; goesOn: boolean }> = []
  for (const line of text.split(/\r?\n/)) {
    const quotes = /^>*/.exec(line)?.[0] ?? ""
    const content = line.slice(quotes.length).replace(/^ /, "")
    const goesOn = content.endsWith(" ") && content !== "-- "
    const last = lines.at(-1)
    if (last?.goesOn === true && last.depth === quotes.length && content !== "-- ") {
      last.text = (deletesBlank ? last.text.slice(0, -1) : last.text) + content
      last.goesOn = goesOn
    } else lines.push({ depth: quotes.length, text: content, goesOn })
  }
  return lines
    .map(({ depth, text: content }) =>
      depth > 0 ? `${">".repeat(depth)} ${content}` : content.startsWith(">") ? ` ${content}` : content
    )
    .join("\r\n")
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

const withDeclared = (text: string, charset: string, replacesAll: boolean): Buffer => {
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
      const isFalse = falseCharsets.test(given[1] ?? "")
      const isNotUtf8 = /^utf-?8$/i.test(given[1] ?? "") && charset !== "utf-8"
      return replacesAll || isFalse || isNotUtf8
        ? `${type}${parameters.replace(given[0], `; charset=${charset}`)}`
        : line
    }
  )
  return Buffer.from(declared, "latin1")
}
