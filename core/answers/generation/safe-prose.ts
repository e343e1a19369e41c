import { memoize } from "../../platform/caching/index.js"
import { withoutForeignAddresses } from "./addresses.js"
import { markerPattern } from "./markers.js"

/** Sources and addresses that a reply may show. */
export interface ProseRules {
  /** Ids that a marker may name. */
  readonly registry: ReadonlySet<string>
  /** Texts of the evidence: addresses that they show, letter for letter, may be linked to. */
  readonly evidenceTexts: ReadonlyArray<string>
  /** The mark of the prompt's fences, which is nobody's to know. */
  readonly boundary: string
}

/**
 * Prose as it may be shown, whatever a model wrote: no marker that names no evidence, no image, no markup, no link
 * to an address that the evidence does not show (one made up could carry away what was read), no character that acts on a terminal or cannot be seen, no mark of ours. A
 * reader's client must not be led, or made to load anything, where a document's hidden words wanted it. Labels stay.
 *
 * Removing markup can leave text that reads as markup again, so removal is repeated until nothing changes. Remaining
 * link syntax is then broken up by blanks, which cannot form new markup.
 */
export const safeProse = (prose: string, { boundary, evidenceTexts, registry }: ProseRules): string => {
  const isKnown = (url: string) => shownIn(evidenceTexts).has(addressOf(url))
  let text = prose
  for (let round = 0; round < roundsMax; round++) {
    const next = withoutForeignAddresses(takenOut(text, isKnown, registry, boundary), evidenceTexts)
    if (next === text) break
    text = next
  }
  return brokenUp(text, isKnown)
    .replace(/(?<=\S)[ \t]{2,}/gu, " ")
    .trim()
}

/** The addresses that the evidence shows: the same for the prose and each claim. */
const shownIn = memoize(
  (evidenceTexts: ReadonlyArray<string>) =>
    new Set(
      evidenceTexts
        .flatMap((text) => [...text.matchAll(urlPattern)].map((match) => addressOf(match[0])))
        .filter((address) => address !== "")
    )
)

/** Text of a claim: the same, and no markers, since its citations stand beside it. */
export const safeClaim = (text: string, rules: ProseRules): string =>
  safeProse(text, { ...rules, registry: new Set() })

/** Each round takes out one layer of what was nested; what is left after these is broken up. */
const roundsMax = 8

/** Stands where a marker was, so that the blank before it goes too; no prose holds it, as controls are removed first. */
const removed = "\u0001"

const takenOut = (
  prose: string,
  isKnown: (url: string) => boolean,
  registry: ReadonlySet<string>,
  boundary: string
): string =>
  prose
    .replace(unseen, "")
    .replaceAll(boundary, "")
    .replace(markerPattern, (whole, ids: string) => {
      const named = ids.split(/\s*[,;]\s*/u)
      const known = named.filter((id) => registry.has(id))
      return known.length === named.length ? whole : known.length === 0 ? removed : `[${known.join(", ")}]`
    })
    .replace(likeMarkers, (whole, kind: string, number: string) =>
      whole === `[${kind}${number}]` && registry.has(`${kind}${number}`) ? whole : removed
    )
    .replace(/[ \t]*\u0001(?=[.,;:!?])|\u0001/gu, "")
    .replace(/!\[\[([^[\]|]{0,1000})(?:\|[^[\]]{0,1000})?\]\]/gu, "$1")
    .replace(/!\[([^[\]]{0,1000})\](?:\([^()]{0,4000}\)|\[[^[\]]{0,200}\])/gu, "$1")
    // Blanks and the address are taken whole: tried at each length, they would take quadratic time.
    .replace(
      /(?<!!)\[([^[\]]{0,1000})\]\(\s*(?!\s)<?([^()\s>]*)(?![^()\s>])>?[^()]{0,400}\)/gu,
      (whole, label: string, url: string) => (isKnown(url) && !/^[SD]\d/u.test(label) ? whole : label)
    )
    // Markers behind a definition are ours.
    .replace(/^[ \t]*\[[^[\]]{1,200}\]:\s*\S+.*$/gmu, (line) => (line.match(markerPattern) ?? []).join(" "))
    .replace(/<\/?[a-zA-Z][^<>]{0,4000}>/gu, (tag) =>
      /^<https?:/iu.test(tag) && isKnown(tag.slice(1, -1)) ? tag : ""
    )
    .replace(urlPattern, (url) => (isKnown(url) ? url : ""))

/** A link or an address, in the plain forms that are let stand where the evidence shows them. */
const allowed =
  /\[[^[\]]{0,1000}\]\(https?:\/\/[^\s()<>[\]"'`\\]{1,4000}\)|<?https?:\/\/[^\s()<>[\]"'`\\]{1,4000}>?/giu

const brokenUp = (text: string, isKnown: (url: string) => boolean): string => {
  let out = ""
  let from = 0
  for (const match of text.matchAll(allowed)) {
    const url = /https?:\/\/[^\s()<>]+/iu.exec(match[0])?.[0] ?? ""
    // An image begins before the bracket.
    if (!isKnown(url) || text[match.index - 1] === "!") continue
    out += withoutSyntax(text.slice(from, match.index)) + match[0]
    from = match.index + match[0].length
  }
  return out + withoutSyntax(text.slice(from))
}

/** Blanks where syntax of Markdown and HTML wants none. */
const withoutSyntax = (text: string): string =>
  text
    .replace(/\](?=\()/gu, "] ")
    .replace(/\]:/gu, "] :")
    .replace(/<(?=[a-zA-Z/!?]|[^\s<>@]+@)/gu, "< ")
    .replace(/\b(mailto|xmpp):(?=\S)/giu, "$1: ")
    .replace(/\/\/(?=[\p{L}\p{N}_[])/gu, "// ")
    .replace(/\bwww\.(?=\S)/giu, "www. ")

/**
 * Controls but line ends and tabs, soft hyphens, spaces without width, what turns the direction of writing, tags and
 * variation selectors. What joins letters and forms emoji stays: languages need it.
 */
const unseen =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0e]|[\u{e0000}-\u{e01ef}]/gu

/** Matches text that a reader would take for a marker. */
const likeMarkers = /[[［【〔⟦]\s*([SDＳＤsd])\s*(\p{Nd}{1,6})\s*[\]］】〕⟧]/gu

const urlPattern = /\b(?:[a-z][a-z0-9+.-]{0,20}:)\/\/[^\s<>()[\]"'`]{1,4000}/giu

/** An address without the stop of its sentence; empty for none, and where programs disagree about where it leads. */
const addressOf = (url: string): string => {
  const address = url.replace(/(?<![.,;:!?*_])[.,;:!?*_]+$/u, "")
  return address.includes("\\") || !URL.canParse(address) || new URL(address).username !== "" ? "" : address
}
