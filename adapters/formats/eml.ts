import PostalMime, { type Address, type Attachment } from "postal-mime"
import type { ConvertedAttachment, ConvertedFile, ConvertibleFile } from "../../core/files/documents/index.js"
import { normalForm } from "../../core/platform/kernel/index.js"
import { calendarMarkdown } from "./calendar.js"
import { broken, type Conversion, ConversionError, isoDate, tooLarge } from "./converted.js"
import { decodeText, withWindowsSigns } from "./decode-text.js"
import { readFragment } from "./html.js"
import { withCharsets } from "./message-charset.js"
import { escapeMarkdown } from "./table.js"
import { plainMarkdown } from "./text.js"

const attachmentsMax = 200

/**
 * Converts a message: its headers, its text with quoted earlier messages, and its attachments, each by the converter
 * of its own format.
 */
export const convertEml = async (
  { bytes }: ConvertibleFile,
  convert: (file: ConvertibleFile) => Promise<ConvertedFile>
): Promise<Conversion> => {
  const email = await PostalMime.parse(withCharsets(bytes), {
    attachmentEncoding: "arraybuffer",
    // Forwarded messages are converted like others: the parser writes their dates by the language of the machine.
    forceRfc822Attachments: true
  })
  if (
    email.headers.length === 0 ||
    (email.from === undefined && email.date === undefined && email.subject === undefined)
  )
    throw broken("The file is no message: it has neither sender, date nor subject.")
  const subject = (email.subject ?? "").replace(/\s+/g, " ").trim()
  const date = isoDate(email.date)
  const calendars = email.attachments.filter(isCalendar)
  const forwarded = email.attachments.filter(isForwarded)
  const attached = email.attachments.filter(
    (one) => !isInlineImage(one) && !isCalendar(one) && !isForwarded(one)
  )
  if (attached.length > attachmentsMax)
    throw tooLarge(`The message has more than ${attachmentsMax} attachments.`)
  const html = withWindowsSigns(email.html ?? "")
  const fromHtml = readFragment(html)
  const text =
    fromHtml.markdown === ""
      ? { plain: email.text ?? "", markdown: plainMarkdown(withWindowsSigns(email.text ?? "")) }
      : fromHtml
  const names = uniqueNames(attached)
  const headers = [
    ["From", addresses(email.from === undefined ? [] : [email.from])],
    ["To", addresses(email.to ?? [])],
    ["Cc", addresses(email.cc ?? [])],
    ["Date", date ?? email.date ?? ""],
    ["In reply to", email.inReplyTo ?? ""],
    ["Attachments", names.join(", ")]
  ].flatMap(([name, value]) =>
    value === "" || value === undefined
      ? []
      : [`- **${name}:** ${escapeMarkdown(value.replace(/\s+/g, " "))}`]
  )
  const sender = email.from === undefined ? null : addresses([email.from])
  const attachments: Array<ConvertedAttachment> = []
  const forwardedTexts: Array<string> = []
  const warnings: Array<ConvertedFile["warnings"][number]> = []
  for (const [at, one] of forwarded.entries()) {
    const { name, result } = await convertAttachment(`forwarded-${at + 1}.eml`, one, convert)
    if ("converted" in result) {
      forwardedTexts.push(`## Forwarded message\n\n${deeper(result.converted.markdown)}`)
      attachments.push(...result.converted.attachments)
      warnings.push(...result.converted.warnings.filter(({ code }) => code === "text_uncertain"))
    } else attachments.push({ name, result })
  }
  for (const [at, one] of attached.entries())
    attachments.push(await convertAttachment(names[at] ?? `attachment-${at + 1}`, one, convert))
  return {
    markdown: [
      `# ${subject === "" ? "Message without a subject" : escapeMarkdown(subject)}`,
      headers.join("\n"),
      text.markdown,
      ...forwardedTexts,
      ...new Set(calendars.map(({ content }) => calendarMarkdown(decodeText(bytesOf(content)))))
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    plain: `${subject}\n${text.plain}`,
    warnings,
    title: subject,
    author: sender,
    createdAt: date,
    modifiedAt: date,
    imagesSkipped: email.attachments.filter(isInlineImage).length,
    attachments
  }
}

const isCalendar = ({ filename, mimeType }: Attachment): boolean =>
  mimeType === "text/calendar" || mimeType === "application/ics" || /\.ics$/i.test(filename ?? "")

/** A message within the text of another one, not attached to it. */
const isForwarded = ({ disposition, mimeType }: Attachment): boolean =>
  mimeType === "message/rfc822" && disposition !== "attachment"

/** Headings two levels deeper, below that of the forwarded message. */
const deeper = (markdown: string): string =>
  markdown.replace(/^(#{1,6})(?= )/gm, (marks) => "#".repeat(Math.min(6, marks.length + 2)))

const bytesOf = (content: Attachment["content"]): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content)

const isInlineImage = ({ mimeType }: Attachment): boolean => mimeType.startsWith("image/")

const addresses = (list: ReadonlyArray<Address>): string =>
  list
    .flatMap((address) => (address.group === undefined ? [address] : address.group))
    .map(({ address, name }) => (name === "" || name === address ? address : `${name} (${address})`))
    .join(", ")

/** File names that are safe as a segment of a path, each once. */
const uniqueNames = (attachments: ReadonlyArray<Attachment>): ReadonlyArray<string> => {
  const used = new Set<string>()
  return attachments.map(({ filename, mimeType }, at) => {
    const extension = mimeType === "message/rfc822" ? ".eml" : ""
    const raw = filename === null || filename.trim() === "" ? `attachment-${at + 1}${extension}` : filename
    const safe =
      normalForm(raw, "NFC")
        .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|\ufffd]/gu, "_")
        .replace(/^[.\s]+|[.\s]+$/g, "")
        .slice(-120) || `attachment-${at + 1}`
    const dot = safe.lastIndexOf(".")
    const [stem, ending] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""]
    let name = safe
    for (let copy = 2; used.has(name.toLowerCase()); copy++) name = `${stem}-${copy}${ending}`
    used.add(name.toLowerCase())
    return name
  })
}

const convertAttachment = async (
  name: string,
  { content, mimeType }: Attachment,
  convert: (file: ConvertibleFile) => Promise<ConvertedFile>
): Promise<ConvertedAttachment> => {
  const bytes = bytesOf(content)
  try {
    return { name, result: { converted: await convert({ name, bytes, mediaType: mimeType }) } }
  } catch (error) {
    const { code, message } = error instanceof ConversionError ? error : broken(String(error))
    return { name, result: { failure: { code, message } } }
  }
}
