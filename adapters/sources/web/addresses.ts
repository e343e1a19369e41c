/** Addresses of a web site: in one form each, within or outside what is crawled, and as paths of documents. */
import { isVaultFile } from "../../../core/files/markdown/index.js"
import { markdownPath, pathSegment } from "../item-path.js"

/** The part of a site that is crawled; plain data, so that a child process can be given it. */
export interface WebScope {
  /** Scheme, host and port under which the site answers. */
  readonly origin: string
  /** The start page, always within. */
  readonly start: string
  /** The path with which that of every other page begins. */
  readonly prefix: string
}

/** Longer addresses are machine-made. */
const addressMaxLength = 1000
const segmentsMax = 20
/** So often one name may stand in a path; more is a link that is relative by mistake. */
const repeatsMax = 3

const tracking =
  /^(?:utm_\w*|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id|_ga|_gl|_hs\w+|hsa_\w+|mkt_tok|vero_id|phpsessid|jsessionid|sessionid|s?sid|replytocom|share)$/i

/**
 * The address of a page in one form: without fragment, tracking parameters and `index.html`. Null for what is no web
 * address, or too long.
 */
export const canonicalAddress = (href: string, base: string, scope: WebScope): string | null => {
  const url = URL.parse(href.trim(), base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return null
  if (isSameSite(url, new URL(scope.origin))) {
    const origin = new URL(scope.origin)
    url.protocol = origin.protocol
    url.host = origin.host
    url.port = origin.port
  }
  url.hash = ""
  url.pathname = normalEncoding(url.pathname)
    .replace(/;jsessionid=[^/;]*/gi, "")
    .replace(/\/{2,}/g, "/")
    .replace(/\/index\.html?$/i, "/")
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((part) => part !== "" && !tracking.test(part.split("=", 1)[0] ?? ""))
  url.search = kept.length === 0 ? "" : normalEncoding(`?${kept.join("&")}`)
  return url.href.length > addressMaxLength ? null : url.href
}

/** Whether two addresses have one host, whatever the scheme, with or without `www.`. */
export const isSameSite = (a: URL, b: URL): boolean =>
  bareHost(a) === bareHost(b) && (a.port === b.port || (isDefaultPort(a) && isDefaultPort(b)))

const bareHost = ({ hostname }: URL): string => hostname.replace(/^www\./, "")
const isDefaultPort = ({ port }: URL): boolean => port === ""

/** Percent escapes in one spelling: of signs that need none decoded, others with capital letters. */
export const normalEncoding = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const sign = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(sign) ? sign : escape.toUpperCase()
  })

/** Whether a canonical address is one of the pages that are crawled. */
export const isWithin = (address: string, { origin, prefix, start }: WebScope): boolean => {
  if (address === start) return true
  const url = URL.parse(address)
  if (url === null || url.origin !== origin || !url.pathname.startsWith(prefix)) return false
  const segments = url.pathname.split("/").filter((name) => name !== "")
  const counts = new Map<string, number>()
  for (const name of segments) counts.set(name, (counts.get(name) ?? 0) + 1)
  return (
    segments.length <= segmentsMax &&
    [...counts.values()].every((count) => count <= repeatsMax) &&
    mayHaveText(segments.at(-1) ?? "")
  )
}

const pageName = /\.(?:x?html?|php\d?|aspx?|jsp|cgi|do)$/i
const otherFiles =
  /\.(?:7z|apk|avi|avif|bin|bmp|bz2|css|deb|dmg|eot|exe|flac|gif|gz|heic|ico|iso|jar|jpe?g|js|json|m4[av]|map|mjs|mov|mp[34]|mpe?g|msi|og[gv]|otf|png|rar|rpm|rss|atom|svgz?|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|woff2?|xml|xz|zip|zst)$/i

/** Whether a name is not that of an image, a program, an archive and the like. */
const mayHaveText = (name: string): boolean => !otherFiles.test(name)

/** Whether two addresses differ only in how they end, as servers give one page under several. */
export const looseAddress = (address: string): string => {
  const { origin, pathname, search } = new URL(address)
  return origin + pathname.replace(/\/$/, "").replace(pageName, "") + search
}

/**
 * The path of the document of a page, below the folder of the prefix.
 *
 * @param extension Extension of a file that is no page, where its name does not tell it.
 */
export const pathOfAddress = (address: string, { prefix }: WebScope, extension = ""): string => {
  const { pathname, search } = new URL(address)
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1)
  const below = pathname.startsWith(folder) ? pathname.slice(folder.length) : pathname.slice(1)
  const names = below
    .split("/")
    .filter((name) => name !== "")
    .map(decoded)
  const last = names.pop() ?? "index"
  const query = search === "" ? "" : ` (${decoded(search.slice(1))})`
  if (extension === "" && (!isVaultFile(last) || pageName.test(last)))
    return markdownPath([...names, last.replace(pageName, "") + query])
  const dot = isVaultFile(last) ? last.lastIndexOf(".") : last.length
  const end = last.slice(dot) || extension
  return [...names, `${last.slice(0, dot)}${query}${end}`].map(pathSegment).join("/")
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
