/** Requests one address of a site and tells what is there. */
import * as Effect from "effect/Effect"
import {
  type FetchedItem,
  type ItemUnreadable,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import { convertibleMediaType, isVaultFile } from "../../../core/files/markdown/index.js"
import type { FormatTasks } from "../../formats/format-tasks.js"
import { readText } from "../html.js"
import { itemMaxBytes, type SourceResponse } from "../http.js"
import { isoMoment, versionOf } from "../item-path.js"
import { canonicalAddress, looseAddress, pathOfAddress, type WebScope } from "./addresses.js"
import type { WebSite } from "./site.js"

/** What an address holds. */
export type Found =
  | { readonly is: "unchanged" }
  | {
      readonly is: "document"
      readonly item: FetchedItem & { readonly version: string }
      readonly links: ReadonlyArray<string>
      readonly etag: string | null
      readonly lastModified: string | null
      readonly bytes: number
    }
  /** A page that is not to be kept, whose links may lead on. */
  | { readonly is: "passage"; readonly links: ReadonlyArray<string>; readonly bytes: number }
  | { readonly is: "elsewhere"; readonly address: string | null; readonly isForGood: boolean }
  | { readonly is: "gone" }
  | { readonly is: "forbidden"; readonly status: number }
  | { readonly is: "failing"; readonly message: string; readonly isPermanent: boolean }

/** What makes a request conditional. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

const is = (found: Found): Found => found

/** Most bytes of a page. */
const pageMaxBytes = 16 * 1024 * 1024

export const readAddress = (
  { http, scope }: Pick<WebSite, "http" | "scope">,
  tasks: FormatTasks["Type"],
  address: string,
  known: Validators | null = null
): Effect.Effect<Found, SourceFault> =>
  Effect.gen(function* () {
    const name = new URL(address).pathname
    const isFile = isVaultFile(name) && !/html?$/i.test(name)
    const response = yield* http.send({
      url: address,
      mayBeForbidden: true,
      keepsRedirects: true,
      maxBytes: isFile ? itemMaxBytes : pageMaxBytes,
      headers: {
        accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,*/*;q=0.5",
        ...(known?.etag == null ? {} : { "if-none-match": known.etag }),
        ...(known?.lastModified == null ? {} : { "if-modified-since": known.lastModified })
      }
    })
    const { headers, status } = response
    if (status === 304 && known !== null) return is({ is: "unchanged" })
    const location = headers.get("location")
    if (location !== null && status >= 300 && status < 400)
      return is({
        is: "elsewhere",
        address: canonicalAddress(location, address, scope),
        isForGood: status === 301 || status === 308
      })
    if (status === 404 || status === 410) return is({ is: "gone" })
    if (status === 401 || status === 403) return is({ is: "forbidden", status })
    if (status === 413)
      return is({ is: "failing", message: "The page is too large to be read.", isPermanent: true })
    if (!response.ok)
      return is({ is: "failing", message: `The site answered with status ${status}.`, isPermanent: false })
    const mediaType = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
    const isHtml =
      /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType) ||
      (mediaType === "" && /^\s*</.test(new TextDecoder().decode(response.bytes.subarray(0, 200))))
    return isHtml
      ? yield* readHtmlPage(response, scope, tasks, address)
      : fileAt(response, scope, address, mediaType)
  }).pipe(
    Effect.catchTag("ItemUnreadable", ({ isPermanent, message }: ItemUnreadable) =>
      Effect.succeed<Found>({ is: "failing", message, isPermanent })
    ),
    // A name within the site that leads into a private network is the fault of one page.
    Effect.catchTag("SourceRejected", ({ message }) =>
      address === scope.start
        ? Effect.fail(new SourceRejected({ message }))
        : Effect.succeed<Found>({ is: "failing", message, isPermanent: false })
    )
  )

const readHtmlPage = (
  { bytes, headers }: SourceResponse,
  scope: WebScope,
  tasks: FormatTasks["Type"],
  address: string
): Effect.Effect<Found, ItemUnreadable> =>
  Effect.gen(function* () {
    const charset = /charset\s*=\s*"?([\w-]+)/i.exec(headers.get("content-type") ?? "")?.[1] ?? null
    const page = yield* readText(address, tasks.run("webPage", { address, bytes, charset, scope }))
    const robots = robotsHeader(headers)
    const links = page.isFollowed && !/\b(?:nofollow|none)\b/.test(robots) ? page.links : []
    const { canonical } = page
    const isOwn =
      canonical === null ||
      new URL(canonical).origin !== scope.origin ||
      looseAddress(canonical) === looseAddress(address)
    if (!isOwn) return is({ is: "elsewhere", address: canonical, isForGood: true })
    if (!page.isIndexed || /\b(?:noindex|none)\b/.test(robots) || page.markdown.trim() === "")
      return is({ is: "passage", links, bytes: bytes.byteLength })
    const path = pathOfAddress(address, scope)
    const { author, createdAt, markdown, modifiedAt, title, warnings } = page
    return is({
      is: "document",
      links,
      bytes: bytes.byteLength,
      ...validatorsOf(headers),
      item: {
        externalId: address,
        version: versionOf(path, markdown, title ?? "", author ?? ""),
        path,
        title,
        url: address,
        author,
        createdAt,
        modifiedAt: modifiedAt ?? isoMoment(headers.get("last-modified")),
        labels: [],
        body: { markdown },
        attachments: [],
        warnings
      }
    })
  })

/** A file that a page links, if it is of a format that is read. */
const fileAt = (
  { bytes, headers }: SourceResponse,
  scope: WebScope,
  address: string,
  mediaType: string
): Found => {
  const extension = extensionOf(mediaType)
  const { pathname } = new URL(address)
  const isNamed = isVaultFile(pathname) && !/html?$/i.test(pathname)
  const isIndexed = !/\b(?:noindex|none)\b/.test(robotsHeader(headers))
  if (
    !isIndexed ||
    (extension === null && !(isNamed && /^(?:|text\/plain|application\/octet-stream)$/.test(mediaType)))
  )
    return { is: "passage", links: [], bytes: bytes.byteLength }
  const path = pathOfAddress(address, scope, isNamed ? "" : (extension ?? ""))
  return {
    is: "document",
    links: [],
    bytes: bytes.byteLength,
    ...validatorsOf(headers),
    item: {
      externalId: address,
      version: versionOf(path, bytes),
      path,
      title: null,
      url: address,
      author: null,
      createdAt: null,
      modifiedAt: isoMoment(headers.get("last-modified")),
      labels: [],
      body: { bytes, mediaType: mediaType === "" ? null : mediaType },
      attachments: [],
      warnings: []
    }
  }
}

const extensions = [".csv", ".docx", ".epub", ".odt", ".pdf", ".pptx", ".xlsx"] as const

/** The extension for a media type that Kanon reads; null for another one, and for plain text. */
const extensionOf = (mediaType: string): string | null =>
  /^text\/(?:x-)?markdown$/.test(mediaType)
    ? ".md"
    : (extensions.find((one) => convertibleMediaType(`file${one}`) === mediaType) ?? null)

const validatorsOf = (headers: Headers): Validators => ({
  etag: headers.get("etag"),
  lastModified: headers.get("last-modified")
})

const robotsHeader = (headers: Headers): string =>
  (headers.get("x-robots-tag") ?? "")
    .toLowerCase()
    .split(",")
    // Rules for another robot begin with its name.
    .filter((rule) => !rule.includes(":") || /^\s*(?:kanon|unavailable_after|max-)/.test(rule))
    .join(",")
