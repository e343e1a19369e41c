import type { Chunk, Document } from "../../files/documents/index.js"
import { type DocumentLink, documentLinks } from "../../files/links/index.js"
import { parseFrontMatter, parseMarkdown, stemOf } from "../../files/markdown/index.js"
import { foldCase, nameNorm } from "../../platform/kernel/index.js"
import { surfaceKey } from "../entities/index.js"
import type { ProseFacts } from "../prose/index.js"
import { hiddenSpans, mask } from "./mask-markup.js"
import { namedByKey, namesInLists, type TypedName, typeByFolder } from "./named-things.js"
import { proseOf, withTypes } from "./prose-of.js"
import { qualifierOf } from "./qualified-names.js"
import { type Term, termsOf } from "./terms.js"
import { hashesOf, wordHashes } from "./word-hash.js"

/** An unresolved reference from a document to another one. */
export interface Reference {
  /** The type of the resulting relation. */
  readonly type: string
  readonly to: { readonly link: Pick<DocumentLink, "kind" | "target"> } | { readonly value: string | number }
  /** Position in the source (UTF-16 units); null for front matter, whose text is in `quote`. */
  readonly start: number | null
  readonly quote: string
}

/** Everything extracted from one document: a pure function of its path, title, front matter and passages. */
export interface Facts {
  /** The entity that the document is about; without a name there is none. */
  readonly self: {
    readonly name: string
    readonly type: string
    readonly aliases: ReadonlyArray<string>
    /** Text that distinguishes it from others of its name; see `qualifiedNames`. */
    readonly qualifier: string
  }
  readonly tags: ReadonlyArray<string>
  readonly references: ReadonlyArray<Reference>
  readonly terms: ReadonlyArray<Term>
  /** Things of a known type that front matter and lists name; each once. */
  readonly named: ReadonlyArray<TypedName>
  /** Names and relations in sentences. */
  readonly prose?: ProseFacts
  /** Start and end offsets in the source, alternating, of code, addresses and markup. */
  readonly hidden: ReadonlyArray<number>
  /** Hashes of all words of the prose, ascending. */
  readonly words: Uint32Array
  /** Hashes of the words that occur in lower case, ascending. */
  readonly small: Uint32Array
}

/** Maximum number of references per document. */
const referencesMax = 20_000
const nameMax = 400

/** The document fields that facts depend on, beside its text. */
export type FactsOf = Pick<Document, "path" | "title" | "frontMatter">

/**
 * Extracts the facts of a document's text, as far as passages cover it. Linear in its length, some
 * ten seconds per MiB of English prose.
 */
export const readFacts = (document: FactsOf, source: string): Facts => {
  // Front matter is a passage but not prose; its names come from its keys.
  const parsed = parseMarkdown(source, parseFrontMatter(source).bodyStart)
  const hidden = hiddenSpans(parsed)
  const prose = mask(source, hidden)
  const { small, terms } = termsOf(source, prose, parsed)
  const read = proseOf(prose, parsed, small)
  const fields = frontMatterReferences(document.frontMatter.other)
  return {
    self: selfOf(document),
    tags: unique(document.frontMatter.tags.map((tag) => tag.replace(/^#/u, "").trim().slice(0, nameMax))),
    references: [
      ...documentLinks(parsed).map(
        (link): Reference => ({
          type: "links_to",
          to: { link: { kind: link.kind, target: link.target } },
          start: link.start,
          quote: ""
        })
      ),
      ...fields
    ].slice(0, referencesMax),
    terms: withTypes(terms, read.names),
    named: distinctNames([
      ...fields.flatMap(({ to, type }) => ("value" in to ? (namedByKey(type, to.value) ?? []) : [])),
      ...namesInLists(parsed, document.title)
    ]),
    prose: read,
    small: hashesOf(small.map(foldCase)),
    hidden,
    words: wordHashes(prose)
  }
}

const namedMax = 500

const distinctNames = (things: ReadonlyArray<TypedName>): ReadonlyArray<TypedName> => [
  ...new Map(
    things.slice(0, namedMax).map((thing) => [`${thing.type} ${surfaceKey(thing.name)}`, thing])
  ).values()
]

/** Returns the document's text as far as passages cover it, at its own offsets; gaps are filled with line feeds. */
export const assemble = (chunks: ReadonlyArray<Chunk>): string => {
  const pieces: Array<string> = []
  let at = 0
  for (const { end, start, text } of [...chunks].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (end <= at) continue
    if (start > at) pieces.push("\n".repeat(start - at))
    pieces.push(text.slice(Math.max(0, at - start)))
    at = end
  }
  return pieces.join("")
}

const genericStems = new Set([
  "index",
  "readme",
  "_index",
  "home",
  "main",
  "default",
  "overview",
  "toc",
  "about"
])

const selfOf = ({ frontMatter, path, title }: FactsOf): Facts["self"] => {
  const stem = stemOf(path)
  const name = title.trim().slice(0, nameMax) || stem.slice(0, nameMax)
  const series = /^(\p{L}[\p{L}_ -]*?)[-_ ]?0*(\d+)$/u.exec(stem)
  const aliases = [
    ...frontMatter.aliases,
    ...(genericStems.has(stem.toLowerCase()) || /^\d/u.test(stem) || isPlainWord(stem) ? [] : [stem]),
    ...(series === null ? [] : [`${series[1]?.toUpperCase()}-${series[2]}`])
  ]
  const own = surfaceKey(name)
  const byKey = new Map<string, string>()
  for (const alias of aliases.map((one) => one.trim().slice(0, nameMax))) {
    const key = surfaceKey(alias)
    // Later ones win, because they have the usual spelling of a series code.
    if (key !== "" && key !== own) byKey.set(key, alias)
  }
  return {
    name,
    type: (frontMatter.type ?? "").trim().slice(0, 120) || (typeByFolder(path, name) ?? "document"),
    aliases: [...byKey.values()].sort(),
    qualifier: qualifierOf(path, frontMatter.other)
  }
}

/** A file name of one small word (`product.md`, `replicas.md`) is no name: texts use the word for other things. */
const isPlainWord = (stem: string): boolean => /^\p{Ll}+$/u.test(stem)

/** Front matter keys under which a bare number refers to another document of the series. */
const numberedKeys =
  /require|depend|supersed|supercede|replac|relat|see|parent|child|block|extend|implement|obsolet|update|refer|link|part|follow|preced|prev|next|source|deriv|based|amend/iu
/** Front matter keys whose values never name a document. */
const plainKeys =
  /^(?:id|uid|slug|date|created|updated|modified|status|lang|language|layout|url|permalink|author-?email|discussions-to|description|summary|excerpt|last-call-deadline|version)$/iu

const frontMatterReferences = (other: Readonly<Record<string, unknown>>): ReadonlyArray<Reference> =>
  Object.entries(other).flatMap(([key, value]) => {
    const type = nameNorm(key)
      .replace(/[\s-]+/gu, "_")
      .slice(0, 120)
    if (type === "" || plainKeys.test(key)) return []
    const numbered = numberedKeys.test(key)
    return values(value, 0).flatMap((one): ReadonlyArray<Reference> => {
      if (/^\s*\d+\s*$/u.test(String(one)) && !numbered) return []
      return [{ type, to: { value: one }, start: null, quote: `${key}: ${String(one)}`.slice(0, 200) }]
    })
  })

/** Returns the strings and numbers of a value: lists flattened, comma-separated strings split. */
const values = (value: unknown, depth: number): ReadonlyArray<string | number> => {
  if (typeof value === "number") return [value]
  if (typeof value === "string") {
    const whole = value.trim()
    if (whole === "" || whole.length > 2048) return []
    const parts = whole
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
    // The whole string may be a title with a comma; a reference that does not resolve makes no relation.
    return parts.length > 1 ? [...parts, whole] : [whole]
  }
  return Array.isArray(value) && depth < 4
    ? value.slice(0, 1000).flatMap((item: unknown) => values(item, depth + 1))
    : []
}

const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const byKey = new Map<string, string>()
  for (const name of [...names].sort()) {
    const key = surfaceKey(name)
    if (key !== "" && !byKey.has(key)) byKey.set(key, name)
  }
  return [...byKey.values()]
}
