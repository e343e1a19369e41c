import type { RunCitation } from "./model.js"

const markers = /\s?\[(S\d+(?:\s*,\s*S\d+)*)\]/g

/**
 * The text with its markers renumbered, so that `[Sn]` is the n-th of the citations. Markers of passages that no tool
 * returned are removed.
 */
export const citeText = (
  text: string,
  sources: ReadonlyArray<RunCitation>
): { readonly text: string; readonly citations: ReadonlyArray<RunCitation> } => {
  const citations: Array<RunCitation> = []
  const places = new Map<string, number>()
  const cited = text.replaceAll(markers, (found, list: string) => {
    const numbers = list.split(",").flatMap((one) => {
      const source = sources[Number(one.trim().slice(1)) - 1]
      if (source === undefined) return []
      const known = places.get(source.chunkId)
      if (known !== undefined) return [known]
      citations.push({ docId: source.docId, chunkId: source.chunkId })
      places.set(source.chunkId, citations.length)
      return [citations.length]
    })
    const blank = found.startsWith("[") ? "" : found.charAt(0)
    return numbers.length === 0 ? "" : `${blank}${numbers.map((number) => `[S${number}]`).join("")}`
  })
  return { text: cited, citations }
}
