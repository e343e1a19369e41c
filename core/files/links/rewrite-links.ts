import { type DocumentId, foldCase, nameNorm, normalForm } from "../../platform/kernel/index.js"
import {
  isSpace,
  normalizeLabel,
  type ParsedMarkdown,
  parseFrontMatter,
  parseMarkdown,
  pathKey,
  scanInline,
  stemOf
} from "../markdown/index.js"
import { type LinkResolver, type LinkTarget, linkResolver } from "./link-resolver.js"
import { respelledDestination, respelledName } from "./link-spelling.js"
import { documentLinks, placeOf } from "./links.js"

/** The documents before a move, and the moved one after it. */
export interface Relocation {
  readonly documents: ReadonlyArray<LinkTarget<DocumentId>>
  readonly moved: LinkTarget<DocumentId>
}

/** Link resolution before and after a move. */
export interface Relinking {
  readonly relocation: Relocation
  readonly before: LinkResolver<DocumentId>
  readonly after: LinkResolver<DocumentId>
  readonly pathBefore: (id: DocumentId) => string
  readonly pathAfter: (id: DocumentId) => string
}

export const relinkingOf = (relocation: Relocation): Relinking => {
  const { documents, moved } = relocation
  const fresh = documents.map((one) => (one.id === moved.id ? moved : one))
  const pathOf = (targets: Relocation["documents"]) => {
    const paths = new Map(targets.map(({ id, path }) => [id, path]))
    return (id: DocumentId) => paths.get(id) ?? ""
  }
  return {
    relocation,
    before: linkResolver(documents),
    after: linkResolver(fresh),
    pathBefore: pathOf(documents),
    pathAfter: pathOf(fresh)
  }
}

/** The path of the document that holds the text, before and after. */
export interface Moved {
  readonly from: string
  readonly to: string
}

/**
 * Rewrites every link that led to a document and would not do so any more: wiki links (also in front matter), inline
 * links, and the definitions that links use. Labels, titles, fragments, code and everything else stay byte by byte.
 * Returns the same text when there is nothing to do. A link that cannot be rewritten (a wiki link to a name with a
 * bracket) stays unchanged.
 */
export const relinked = (source: string, moved: Moved, relinking: Relinking): string => {
  const { bodyStart } = parseFrontMatter(source)
  const parsed = parseMarkdown(source, bodyStart)
  const body = { ...inlineEdits(parsed, moved, relinking) }
  const front = frontMatterEdits(source, bodyStart, moved, relinking)
  const text = withDefinitions(applied(source, body.edits), body.labels, moved, relinking)
  const withFront = applied(text, front)
  const whole = front.length > 0 && sameFields(text, withFront) ? withFront : text
  if (whole === source) return source
  return keepsTargets(source, whole, moved, relinking) ? whole : source
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const applied = (source: string, edits: ReadonlyArray<Edit>): string => {
  const unique = new Map(edits.map((edit) => [edit.start, edit]))
  let [text, from] = ["", 0]
  for (const { end, start, text: fresh } of [...unique.values()].sort((a, b) => a.start - b.start)) {
    text += source.slice(from, start) + fresh
    from = end
  }
  return text + source.slice(from)
}

/**
 * Returns the document that a link leads to and will no longer lead to; null otherwise. A link that led there by its
 * path or file name is lost, too, if only a title or a name elsewhere would still lead there: other programs do not
 * follow those.
 */
const lostLink = (
  kind: "wiki" | "markdown",
  target: string,
  { from, to }: Moved,
  { after, before }: Relinking
): DocumentId | null => {
  const link = { kind, target }
  const led = target === "" ? null : before.resolve(from, link)
  if (led === null) return null
  const isExact = before.resolveExactly(from, link) === led
  return (isExact ? after.resolveExactly(to, link) : after.resolve(to, link)) === led ? null : led
}

const destinationOf = (id: DocumentId, { to }: Moved, { after, pathAfter }: Relinking) => ({
  id,
  path: pathAfter(id),
  fromPath: to,
  resolver: after
})

/** Returns edits of inline and wiki links, and the labels of definitions that must change. */
const inlineEdits = (
  { linkSpans, references, source }: ParsedMarkdown,
  moved: Moved,
  relinking: Relinking
) => {
  const edits: Array<Edit> = []
  const labels = new Set<string>()
  for (const span of linkSpans)
    scanInline(source, span.start, span.end, {
      defined: (label) => references.size > 0 && references.has(normalizeLabel(label)),
      wikiLink: (link) => edits.push(...wikiEdit(source, link, moved, relinking)),
      link: ({ destination, image, labelEnd, reference }) => {
        if (image) return
        if (destination === null) {
          const label = normalizeLabel(reference ?? "")
          const place = placeOf(references.get(label) ?? "")
          if (place !== null && lostLink("markdown", place.target, moved, relinking) !== null)
            labels.add(label)
          return
        }
        let start = labelEnd + 2
        while (isSpace(source.charCodeAt(start))) start++
        const angled = source.charAt(start) === "<"
        const text = respelled(destination, angled, moved, relinking)
        if (text !== null) {
          const from = angled ? start + 1 : start
          edits.push({ start: from, end: from + destination.length, text })
        }
      }
    })
  return { edits, labels }
}

/** Returns the new form of a destination; null when it can or must stay. */
const respelled = (written: string, angled: boolean, moved: Moved, relinking: Relinking): string | null => {
  const place = placeOf(written)
  const led = place === null ? null : lostLink("markdown", place.target, moved, relinking)
  return led === null ? null : respelledDestination(written, angled, destinationOf(led, moved, relinking))
}

const wikiEdit = (
  source: string,
  { embed, start, target }: { readonly embed: boolean; readonly start: number; readonly target: string },
  moved: Moved,
  relinking: Relinking
): ReadonlyArray<Edit> => {
  const led = lostLink("wiki", target, moved, relinking)
  if (led === null) return []
  const text = respelledName(target, relinking.pathBefore(led), destinationOf(led, moved, relinking))
  const from = source.indexOf(target, start + (embed ? 3 : 2))
  return text === null ? [] : [{ start: from, end: from + target.length, text }]
}

const frontMatterEdits = (source: string, bodyStart: number, moved: Moved, relinking: Relinking) => {
  const edits: Array<Edit> = []
  if (source.lastIndexOf("[[", bodyStart) < 0) return edits
  scanInline(source, 0, bodyStart, {
    wikiLink: (link) => edits.push(...wikiEdit(source, link, moved, relinking))
  })
  return edits
}

/** Whether front matter parses to the same fields after the names in it changed. */
const sameFields = (before: string, after: string): boolean => {
  const [old, fresh] = [parseFrontMatter(before), parseFrontMatter(after)]
  const shape = ({ frontMatter, warnings }: typeof old) =>
    JSON.stringify([
      warnings.map(({ code }) => code),
      frontMatter.title,
      frontMatter.aliases,
      frontMatter.tags,
      frontMatter.type,
      Object.keys(frontMatter.other)
    ])
  return shape(old) === shape(fresh)
}

/** `[label]: destination`, also inside quotes and lists. */
const definitions =
  /^(?:[ \t>*+-]|\d{1,9}[.)])*\[((?:[^[\]\\]|\\[\s\S])+)\]:[ \t]*(?:\r?\n?[ \t>]*)(<[^<>\r\n]*>|[^\s<]\S*)/gm

/** How often the text is parsed to find the definitions of labels: a label may stand in code as often before its own. */
const roundsMax = 8

/**
 * Returns the text with the definitions of those labels changed. A match may be inside code, so the parser decides which
 * one is the definition: the first match of each label is changed, and where that is none, the next one. All labels are
 * tried at once, since parsing takes long; those that are not found in some rounds stay as they are.
 */
const withDefinitions = (
  source: string,
  labels: ReadonlySet<string>,
  moved: Moved,
  relinking: Relinking
): string => {
  if (labels.size === 0) return source
  const { bodyStart } = parseFrontMatter(source)
  const matches = new Map<string, Array<Edit>>()
  for (const { 0: whole, 1: name = "", 2: written = "", index } of source
    .slice(bodyStart)
    .matchAll(definitions)) {
    const label = normalizeLabel(name)
    const known = matches.get(label) ?? []
    if (!labels.has(label) || known.length >= roundsMax) continue
    const angled = written.startsWith("<")
    const inner = angled ? written.slice(1, -1) : written
    const text = respelled(inner, angled, moved, relinking)
    if (text === null) continue
    const end = bodyStart + index + whole.length - (angled ? 1 : 0)
    matches.set(label, [...known, { start: end - inner.length, end, text }])
  }
  const settled: Array<Edit> = []
  for (let round = 0; round < roundsMax; round++) {
    const tried = [...matches].flatMap(([label, edits]) => {
      const edit = edits[round]
      return edit === undefined ? [] : [{ label, edit }]
    })
    if (tried.length === 0) break
    const changed = applied(source, [...settled, ...tried.map(({ edit }) => edit)])
    const { references } = parseMarkdown(changed, bodyStart)
    for (const { edit, label } of tried) {
      if (placeOf(references.get(label) ?? "")?.target !== placeOf(edit.text)?.target) continue
      settled.push(edit)
      matches.delete(label)
    }
  }
  return applied(source, settled)
}

/** Whether the new text has the same links as the old one and none leads to another document. */
const keepsTargets = (source: string, text: string, { from, to }: Moved, { after, before }: Relinking) => {
  const [old, fresh] = [linksOf(source), linksOf(text)]
  return (
    old.length === fresh.length &&
    old.every((link, place) => {
      const now = fresh[place]
      if (now === undefined || now.kind !== link.kind || now.fragment !== link.fragment) return false
      const led = before.resolve(from, link)
      return now.target === link.target || led === null || after.resolve(to, now) === led
    })
  )
}

const linksOf = (source: string) => documentLinks(parseMarkdown(source, parseFrontMatter(source).bodyStart))

/** Strings of which a link to a document must contain one; null when a link may contain none of its names. */
export type LinkNames = ReadonlySet<string> | null

/** Returns the names by which links can reach a document: file name, title, aliases. */
export const linkNames = (
  documents: ReadonlyArray<{
    readonly path: string
    readonly title: string
    readonly aliases: ReadonlyArray<string>
  }>
): LinkNames => {
  const stems = documents.map(({ path }) => stemOf(path))
  // `../` is a link to a README.
  if (stems.some((stem) => /^(?:readme|index)$/.test(pathKey(stem)))) return null
  const names = [...stems, ...documents.flatMap(({ aliases, title }) => [title, ...aliases])]
  return new Set(names.map(comparable).filter((name) => name !== ""))
}

/** Whether a link of the text could lead to one of the names. Never a false negative. */
export const mayLinkTo = (names: LinkNames, source: string): boolean => {
  if (names === null) return source.includes("[")
  const targets = source.match(/\[\[(?:[^[\]\r\n]|\[(?!\[)|\](?!\]))+|\](?:\(|:)\s*(?:<[^<>\r\n]*|\S+)/g)
  if (targets === null) return false
  const text = comparable(decoded(targets.join("\n")))
  // `.` is the folder of its document, whatever the document's name.
  if (folderTarget.test(text)) return true
  for (const name of names) if (holdsWord(text, name)) return true
  return false
}

/** A target whose last segment is `.` or `..`. */
const folderTarget = /[[(<:/\s]\.{1,2}\/*(?=[)>\]#?|"\s]|$)/m

/** Whether the name occurs with no letter or digit beside it: in a target it ends where a segment ends. */
const holdsWord = (text: string, name: string): boolean => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (
      !/^[\p{L}\p{N}]/u.test(text.slice(at + name.length, at + name.length + 2)) &&
      !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))
    )
      return true
  return false
}

const comparable = (text: string): string => nameNorm(foldCase(normalForm(text, "NFC")))

const decoded = (text: string): string =>
  text
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll("&amp;", "&")
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run)
      } catch {
        return run
      }
    })
