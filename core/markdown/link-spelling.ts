import { isSpace } from "./line-scanner.js"
import type { LinkResolver } from "./link-resolver.js"
import { placeOf } from "./links.js"
import { folderOf, pathKey } from "./path.js"
import { isMarkdown, stemOf } from "./path-names.js"

/** Where links lead once something has moved, and how a link says so. */
export interface Destination<Id extends string> {
  /** The document that is to be reached. */
  readonly id: Id
  /** Its path from now on. */
  readonly path: string
  /** The path, from now on, of the document that holds the link. */
  readonly fromPath: string
  readonly resolver: Pick<LinkResolver<Id>, "resolve">
}

/**
 * A Markdown destination that reaches the document, spelled as the written one was: absolute or relative, with or
 * without `.md`, a folder for its README, percent-encoded or not, query and fragment as they stand. Null when
 * there is none.
 *
 * @param angled Whether it stands between angle brackets.
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
    if (reached !== null && resolver.resolve(fromPath, { kind: "markdown", target: reached.target }) === id)
      return spelled
  }
  return null
}

/** The document's path in the form in which the target was given, then in surer ones. */
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

const withoutExtension = (path: string): string => path.replace(/\.md$/i, "")

/** From a folder of the vault to a path of it; what ends in a slash is a folder. */
const relative = (folder: string, path: string): string => {
  const [from, to] = [folder === "" ? [] : folder.split("/"), path.split("/").filter((part) => part !== "")]
  // The last part of a file's path is its name, which is never passed through.
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

/** What Markdown, or the reader of the address, would take for something else. */
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
 * The target of a wiki link that reaches the document, as short as the written one was: a stem, the end of a path,
 * a whole path or a relative one. Null when there is none that a wiki link can hold.
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
        !/[[\]|#\r\n]/.test(name) &&
        resolver.resolve(fromPath, { kind: "wiki", target: name }) === id
    ) ?? null
  )
}
