import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  asUtf8,
  type ConversionFailure,
  type ConvertedFile,
  decodeContent,
  FormatConverter,
  type SourcedText,
  textWarningsOf
} from "../../files/documents/index.js"
import {
  convertibleMediaType,
  firstHeading,
  isImage,
  isMarkdown,
  parseDocumentPath,
  parseFrontMatter
} from "../../files/markdown/index.js"
import { Moment, normalForm } from "../../platform/kernel/index.js"
import type { FetchedItem, ItemBody } from "./crawler.js"

/** A document that an item asks for, or why there is none. */
export interface ItemPart {
  readonly externalId: string
  /** The item that it is attached to. */
  readonly parentId: string | null
  readonly version: string | null
  readonly url: string | null
  readonly result: { readonly text: SourcedText } | ItemPartFailure
  /** Parts missing from the text, described for people. */
  readonly warnings: ReadonlyArray<string>
}

/** Why there is no document; permanent where only a change at the source helps. */
interface ItemPartFailure {
  readonly failure: string
  readonly isPermanent: boolean
}

/** Longest external id in UTF-16 units, so that an index entry of the databases holds it. */
const externalIdMax = 800
/** Attachments of messages within messages are followed this deep. */
const depthMax = 4
/** Warnings of one item that are stored, and the longest of them in UTF-16 units. */
const warningsMax = 20
const warningMaxLength = 300

/** Makes the documents of an item: its own first, then those of its attachments. Files are converted to Markdown. */
export const prepareItem = (item: FetchedItem, pathPrefix: string): Effect.Effect<ReadonlyArray<ItemPart>> =>
  Effect.gen(function* () {
    const { externalId, url, version } = item
    const common = { externalId, parentId: null, version, url }
    if (externalId.length > externalIdMax) {
      const failure = `The id of the item is longer than ${externalIdMax} characters.`
      return [{ ...common, result: { failure, isPermanent: true }, warnings: [] }]
    }
    const main = yield* textOf(item.path, item.body)
    const path = `${pathPrefix}/${item.path}`
    // A page and its folder must not have one name.
    const folder = path.replace(/\.md$/i, "")
    const leftOut: Array<string> = []
    const parts: Array<ItemPart> = []
    for (const { body, name, url: link } of item.attachments) {
      const text = yield* textOf(name, body)
      // Images and other files without text are no failures.
      if ("failure" in text && text.isUnknown) {
        leftOut.push(`The attachment ${name} was left out: its format has no text that is read.`)
        continue
      }
      const about = { externalId: `${externalId}/${name}`, version, url: link ?? url }
      const result =
        "failure" in text
          ? text
          : partText(`${folder}/${name}`, text, { ...item, url: link ?? url, title: null, labels: [] })
      parts.push({ ...about, parentId: externalId, result, warnings: warningsOf(text) })
      if ("converted" in text)
        parts.push(
          ...attachmentsOf(text.converted, { ...about, root: externalId, path: `${folder}/${name}` }, item, 1)
        )
    }
    if ("converted" in main)
      parts.push(...attachmentsOf(main.converted, { ...common, root: externalId, path }, item, 1))
    const own: ItemPart = {
      ...common,
      result: "failure" in main ? main : partText(path, main, item),
      warnings: bounded([...item.warnings, ...warningsOf(main), ...leftOut])
    }
    return uniqueParts([own, ...parts])
  })

/** The warnings of a conversion; an attachment of a message without a document of its own is one, too. */
const warningsOf = (text: Text): ReadonlyArray<string> => {
  if (!("converted" in text)) return []
  const { attachments, warnings } = text.converted
  const skipped = attachments.flatMap(({ name, result }) =>
    "failure" in result && result.failure.code === "format_unknown"
      ? [`The attachment ${name} was left out: its format has no text that is read.`]
      : []
  )
  return bounded([...warnings.map(({ message }) => message), ...skipped])
}

const bounded = (warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings
    .slice(0, warningsMax)
    .map((warning) => clean(warning).replace(/\s+/gu, " ").trim().slice(0, warningMaxLength))
    .filter((warning) => warning !== "")

type Text =
  | { readonly markdown: string }
  | { readonly markdown: string; readonly converted: ConvertedFile }
  | (ItemPartFailure & { readonly isUnknown: boolean })

const textOf = (path: string, body: ItemBody): Effect.Effect<Text> =>
  Effect.gen(function* () {
    if ("markdown" in body) return { markdown: clean(body.markdown) }
    const { bytes, mediaType } = body
    // Pictures of pages are mostly diagrams and logos; reading one takes seconds.
    if (isImage(path)) return { failure: "Pictures are left out.", isPermanent: true, isUnknown: true }
    if (isMarkdown(path) || (mediaType === "text/markdown" && convertibleMediaType(path) === null))
      return Either.match(decodeContent(asUtf8(bytes)), {
        onLeft: ({ message }): Text => ({ failure: message, isPermanent: true, isUnknown: false }),
        onRight: (markdown): Text => ({ markdown })
      })
    const converter = Option.getOrNull(yield* Effect.serviceOption(FormatConverter))
    if (converter === null)
      return { failure: "This program converts no files.", isPermanent: false, isUnknown: false }
    const file = { name: path, bytes, ...(mediaType === null ? {} : { mediaType }) }
    return yield* Effect.match(converter.convert(file), {
      onFailure: ({ code, message }): Text => ({
        failure: message,
        isPermanent: isOfFile(code),
        isUnknown: code === "format_unknown"
      }),
      onSuccess: (converted): Text => ({ markdown: clean(converted.markdown), converted })
    })
  })

/** Whether a conversion fails because of the file, and not of a process or a library of this host. */
const isOfFile = (code: ConversionFailure): boolean =>
  code !== "conversion_failed" && code !== "converter_missing"

/** Attachments that the converter found in a message. */
const attachmentsOf = (
  { attachments }: ConvertedFile,
  within: Pick<ItemPart, "externalId" | "version" | "url"> & { readonly root: string; readonly path: string },
  item: FetchedItem,
  depth: number
): ReadonlyArray<ItemPart> =>
  depth > depthMax
    ? []
    : attachments.flatMap(({ name, result }): ReadonlyArray<ItemPart> => {
        const { version, url } = within
        const externalId = `${within.externalId}/${name}`
        const about = { externalId, parentId: within.root, version, url }
        if ("failure" in result)
          return result.failure.code === "format_unknown"
            ? []
            : [
                {
                  ...about,
                  result: { failure: result.failure.message, isPermanent: isOfFile(result.failure.code) },
                  warnings: []
                }
              ]
        const { converted } = result
        const path = `${within.path}/${name}`
        const text = { markdown: clean(converted.markdown), converted }
        return [
          {
            ...about,
            result: partText(path, text, { ...item, title: null, labels: [] }),
            warnings: warningsOf(text)
          },
          ...attachmentsOf(converted, { ...within, externalId, path }, item, depth + 1)
        ]
      })

const partText = (
  rawPath: string,
  text: Exclude<Text, { readonly failure: string }>,
  { author, createdAt, labels, modifiedAt, title, url }: FetchedItem
): ItemPart["result"] => {
  // Some systems give names in another normal form.
  const path = parseDocumentPath(normalForm(rawPath, "NFC"))
  if (Either.isLeft(path))
    return {
      failure: `${rawPath}: ${path.left.issues.map((one) => one.message).join(" ")}`,
      isPermanent: true
    }
  const converted = "converted" in text ? text.converted : null
  return {
    text: {
      path: path.right,
      text: converted === null ? withFrontMatter(text.markdown, title, labels) : text.markdown,
      source: {
        url,
        author: author ?? converted?.author ?? null,
        createdAt: momentOf(createdAt) ?? momentOf(converted?.createdAt),
        modifiedAt: momentOf(modifiedAt) ?? momentOf(converted?.modifiedAt),
        title: title ?? converted?.title ?? null,
        pageStarts: converted?.pageStarts ?? [],
        ...textWarningsOf(converted?.warnings ?? [])
      }
    }
  }
}

/** Adds the title, unless the first heading says it, and the labels as tags, unless there is a front matter already. */
const withFrontMatter = (markdown: string, title: string | null, labels: ReadonlyArray<string>): string => {
  if (parseFrontMatter(markdown).bodyStart > 0) return markdown
  const lines = [
    ...(title === null || firstHeading(markdown) === title ? [] : [`title: ${JSON.stringify(title)}`]),
    ...(labels.length === 0 ? [] : [`tags: ${JSON.stringify(labels)}`])
  ]
  return lines.length === 0 ? markdown : ["---", ...lines, "---", "", markdown].join("\n")
}

/** A date of a source with milliseconds in UTC; null for what is none. */
const momentOf = (text: string | null | undefined): string | null => {
  const parsed = Moment.safeParse(text)
  return parsed.success ? parsed.data : null
}

const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

/** Returns the parts without those that repeat an earlier id. */
const uniqueParts = (parts: ReadonlyArray<ItemPart>): ReadonlyArray<ItemPart> =>
  [...new Map([...parts].reverse().map((part) => [part.externalId, part])).values()].reverse()
