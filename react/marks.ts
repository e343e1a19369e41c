/** A stretch of a document, in UTF-16 units of its text. */
export interface Span {
  readonly start: number
  readonly end: number
}

const wordsOf = (
  text: string
): ReadonlyArray<{ readonly word: string; readonly start: number; readonly end: number }> =>
  [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map((match) => ({
    word: match[0],
    start: match.index,
    end: match.index + match[0].length
  }))

/** Places where `needle` occurs in `words`. */
const placesOf = (
  needle: ReadonlyArray<string>,
  words: ReadonlyArray<{ readonly word: string }>
): Array<number> => {
  const places: Array<number> = []
  for (let at = 0; at + needle.length <= words.length; at++)
    if (needle.every((word, index) => words[at + index]?.word === word)) places.push(at)
  return places
}

/** Blanks the addresses of links, which are not shown, so that all places stay. */
const withoutAddresses = (markdown: string): string =>
  markdown.replace(/\]\([^()\s]{0,2000}(?: "[^"]{0,500}")?\)|\[\[[^[\]|]{1,500}\|/g, (address) =>
    " ".repeat(address.length)
  )

/**
 * Finds the rendered words of a stretch of Markdown. Markup is no word, so the words of both texts correspond; of several
 * equal places the one with as many before it is taken. Null if the words differ.
 */
const locate = (source: string, span: Span, rendered: string): Span | null => {
  const markdown = withoutAddresses(source)
  const needle = wordsOf(markdown.slice(span.start, span.end)).map(({ word }) => word)
  if (needle.length === 0) return null
  const shown = wordsOf(rendered)
  const before = placesOf(needle, wordsOf(markdown.slice(0, span.end))).length - 1
  const places = placesOf(needle, shown)
  const place = places[Math.min(before, places.length - 1)]
  const [first, last] =
    place === undefined ? [undefined, undefined] : [shown[place], shown[place + needle.length - 1]]
  if (first === undefined || last === undefined) return null
  // A sentence's closing punctuation belongs to it.
  const tail = /^[.!?…»”"')\]%]+/u.exec(rendered.slice(last.end))?.[0].length ?? 0
  return { start: first.start, end: last.end + tail }
}

const boundsOf = (element: Element): Span | null => {
  const start = Number(element.getAttribute("data-start") ?? Number.NaN)
  const end = Number(element.getAttribute("data-end") ?? Number.NaN)
  return Number.isNaN(start) || Number.isNaN(end) ? null : { start, end }
}

const overlaps = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end

/** The innermost blocks that a span touches. */
const blocksOf = (root: Element, span: Span): Array<Element> =>
  [...root.querySelectorAll("[data-start][data-end]")].filter((block) => {
    const bounds = boundsOf(block)
    if (bounds === null || !overlaps(bounds, span)) return false
    return ![...block.querySelectorAll("[data-start][data-end]")].some((inner) => {
      const within = boundsOf(inner)
      return within !== null && overlaps(within, span)
    })
  })

/** Puts `<mark>` around the given stretch of an element's text. */
const wrap = (element: Element, { start, end }: Span): void => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const found: Array<readonly [Text, number, number]> = []
  let at = 0
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (!(node instanceof Text || node.nodeType === 3)) continue
    const text = node as Text
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, text.length)]
    if (from < to) found.push([text, from, to])
    at += text.length
  }
  for (const [text, from, to] of found) {
    const rest = text.splitText(from)
    rest.splitText(to - from)
    const mark = element.ownerDocument.createElement("mark")
    rest.replaceWith(mark)
    mark.append(rest)
  }
}

/**
 * Marks the words of spans in rendered blocks with `data-start` and `data-end`: the exact words where they are found, else
 * the whole block.
 */
export const markSpans = (root: Element, content: string, spans: ReadonlyArray<Span>): void => {
  for (const span of spans)
    for (const block of blocksOf(root, span)) {
      const bounds = boundsOf(block)
      if (bounds === null) continue
      const markdown = content.slice(bounds.start, bounds.end)
      const within = {
        start: Math.max(span.start - bounds.start, 0),
        end: Math.min(span.end - bounds.start, markdown.length)
      }
      const rendered = block.textContent ?? ""
      wrap(block, locate(markdown, within, rendered) ?? { start: 0, end: rendered.length })
    }
}
