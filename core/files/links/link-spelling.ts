import { folderOf, isMarkdown, isSpace, pathKey, stemOf, withoutExtension } from "../markdown/index.js"
import type { LinkResolver } from "./link-resolver.js"
import { placeOf } from "./links.js"

/** Target of a link after a move. */
export interface Destination<Id extends string> {
  /** The target document. */
  readonly id: Id
  /** Its new path. */
  readonly path: string
  /** The new path of the document with the link. */
  readonly fromPath: string
  readonly resolver: Pick<LinkResolver<Id>, "resolveExactly">
}

/**
 * Returns a Markdown destination that leads to the document, in the style of the written one: absolute or relative,
 * with or without `.md`, a folder for its README, percent-encoded or not, query and fragment unchanged. Null when
 * there is none.
 *
 * @param angled Whether it is between angle brackets.
 */
export const respelledDestination = <Id extends string>(
  written: string,
  angled: boolean,
  { fromPath, id, path, resolver }: Destination<Id>
): string | null => {
  const cut = written.search(/\\?[#?]/)
  const [place, suffix] = cut < 0 ? [written, ""] : [written.slice(0, cut), written.slice(cut)]
  const target = placeOf(place)?.target ?? ""
  for (const form of formsOf(target, path)) {
    const located = target.startsWith("/") ? `/${form}` : relative(folderOf(fromPath), form)
    const dotted = target.startsWith("./") && !located.startsWith(".") ? `./${located}` : located
    const spelled = `${escaped(dotted, { angled, fully: /%[0-9a-f]{2}/i.test(place) })}${suffix}`
    const reached = placeOf(spelled)
    if (
      reached !== null &&
      resolver.resolveExactly(fromPath, { kind: "markdown", target: reached.target }) === id
    )
      return spelled
  }
  return null
}

/** Returns the document's path in the form of the given target, then in less ambiguous forms. */
const formsOf = (target: string, path: string): ReadonlyArray<string> => {
  if (isMarkdown(target)) return [path]
  const isHome = /^(?:readme|index)$/.test(pathKey(stemOf(path)))
  const isNamed = /(?:^|\/)(?:readme|index)$/.test(pathKey(target))
  const folder = folderOf(path)
  return [
    ...(isHome && !isNamed ? [target.endsWith("/") || folder === "" ? `${folder}/` : folder] : []),
    withoutExtension(path),
    path
  ]
}

/** Returns the relative path from a folder to a path; a trailing slash marks a folder. */
const relative = (folder: string, path: string): string => {
  const [from, to] = [folder === "" ? [] : folder.split("/"), path.split("/").filter((part) => part !== "")]
  // The last segment of a file's path is its name, which is never a folder.
  const most = path.endsWith("/") ? to.length : to.length - 1
  let shared = 0
  while (shared < most && shared < from.length && from[shared] === to[shared]) shared++
  const steps = [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/")
  if (steps === "") return "./"
  return path.endsWith("/") ? `${steps}/` : steps
}

const encoder = new TextEncoder()
const percent = (text: string): string =>
  [...encoder.encode(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")

/** Escapes characters that Markdown or a URL parser would interpret. */
const escaped = (path: string, { angled, fully }: { readonly angled: boolean; readonly fully: boolean }) => {
  const text = [...path]
    .map((char) => {
      if (char === "/") return char
      if ("%#?<>\\`|[]".includes(char) || char.charCodeAt(0) < 32) return percent(char)
      if (!angled && ("()".includes(char) || isSpace(char.charCodeAt(0)))) return percent(char)
      return fully ? encodeURIComponent(char) : char
    })
    .join("")
    .replace(/&(?=[#\w]+;)/g, "%26")
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) ? `./${text}` : text
}

/**
 * Returns the target of a wiki link that leads to the document, as short as the written one: a stem, the end of a
 * path, a whole path or a relative one. Null when a wiki link cannot express it.
 */
export const respelledName = <Id extends string>(
  written: string,
  pathBefore: string,
  { fromPath, id, path, resolver }: Destination<Id>
): string | null => {
  const form = isMarkdown(written) ? path : withoutExtension(path)
  const parts = form.split("/")
  const ends = parts.map((_, place) => parts.slice(parts.length - 1 - place).join("/"))
  const located = relative(folderOf(fromPath), form)
  const wasWhole = pathKey(withoutExtension(written)) === pathKey(withoutExtension(pathBefore))
  const alike = /^\.\.?\//.test(written)
    ? [located.startsWith(".") ? located : `./${located}`]
    : written.startsWith("/")
      ? [`/${form}`]
      : written.includes("/")
        ? wasWhole
          ? [form]
          : ends.slice(1)
        : ends
  return (
    [...alike, ...ends, path].find(
      (name) =>
        name.trim() === name &&
        isWikiName(name) &&
        resolver.resolveExactly(fromPath, { kind: "wiki", target: name }) === id
    ) ?? null
  )
}

/** Whether a wiki link can hold the name: no bar, no `#`, and brackets only in pairs. */
const isWikiName = (name: string): boolean =>
  !/[|#\r\n]|\[\[|\]\]/.test(name) && !/[[\]]/.test(name.replace(/\[[^[\]]*\]/g, ""))
