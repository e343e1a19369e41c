import { cutText, normalizeLabel, type ParsedMarkdown, plainInline, scanInline } from "../markdown/index.js"

/** A link from one document to another, as written. */
export interface DocumentLink {
  /** `wiki`: by name, `[[target]]`; `markdown`: by path, `[label](target)` or through a definition. */
  readonly kind: "wiki" | "markdown"
  /** Percent-decoded for Markdown links; never empty. */
  readonly target: string
  /** The displayed text, plain, at most 200 units; null for a wiki link without one. */
  readonly label: string | null
  /** The part after `#`; null when there is none. */
  readonly fragment: string | null
  readonly start: number
  readonly end: number
}

/** Maximum number of links read from one document; the rest is ignored. */
export const maxDocumentLinks = 20_000

/**
 * Returns the links of a document to others, in source order: wiki links, embeds, inline and reference links outside
 * code and HTML. Excludes addresses with a scheme (`https:`, `mailto:`), links within the document, and images.
 */
export const documentLinks = (parsed: ParsedMarkdown): ReadonlyArray<DocumentLink> => {
  const { linkSpans, references, source } = parsed
  const links: Array<DocumentLink> = []
  const push = (link: DocumentLink): void => {
    if (link.target !== "" && links.length < maxDocumentLinks) links.push(link)
  }
  for (const span of linkSpans) {
    if (links.length >= maxDocumentLinks) break
    const before = links.length
    scanInline(source, span.start, span.end, {
      defined: (label) => references.size > 0 && references.has(normalizeLabel(label)),
      wikiLink: ({ end, fragment, label, start, target }) =>
        push({
          kind: "wiki",
          target,
          fragment,
          label: label === null ? null : displayLabel(label),
          start,
          end
        }),
      link: ({ destination, end, image, labelEnd, labelStart, reference, start }) => {
        if (image) return
        const destinationText = destination ?? references.get(normalizeLabel(reference ?? "")) ?? ""
        const place = placeOf(destinationText)
        if (place !== null) {
          push({
            kind: "markdown",
            ...place,
            label: displayLabel(source.slice(labelStart, labelEnd)),
            start,
            end
          })
        }
      }
    })
    // Links are reported when they end; only a label that contains a link can put two of them out of order.
    if (links.length - before > 1) sortTail(links, before)
  }
  return links
}

/** Returns target and fragment of a destination, or null when it leads elsewhere. */
export const placeOf = (
  destination: string
): { readonly target: string; readonly fragment: string | null } | null => {
  const address = destination.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("&amp;", "&")
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(address) || address.startsWith("//")) return null
  const hash = address.indexOf("#")
  const path = hash < 0 ? address : address.slice(0, hash)
  const query = path.indexOf("?")
  const target = decode(query < 0 ? path : path.slice(0, query))
  const fragment = hash < 0 ? "" : decode(address.slice(hash + 1))
  return { target, fragment: fragment === "" ? null : fragment }
}

/** Percent-decodes once; returns the text unchanged when the encoding is invalid. */
const decode = (text: string): string => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The label is cut before it is parsed, because it may be a megabyte of brackets. */
const displayLabel = (label: string): string => cutText(plainInline(label.slice(0, 1000)), 200)

const sortTail = (links: Array<DocumentLink>, from: number): void => {
  const tail = links.splice(from)
  for (const link of tail.sort((a, b) => a.start - b.start)) links.push(link)
}
