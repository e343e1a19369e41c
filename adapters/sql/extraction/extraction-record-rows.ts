import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { ExtractionRecord } from "../../../core/extraction/index.js"
import { fromJson, toBytes, toJson } from "../codec.js"

/** What was read of a document, as its row keeps it packed. */
type Facts = Pick<ExtractionRecord, "references" | "tags" | "hidden" | "named">

/** What facts of most documents have in them. A packed row can be read with these very bytes only: they never change. */
const dictionary = Buffer.from(
  '"to":{"value":"","to":{"link":{"kind":"wiki","heading":null,"start":null,"quote":"tags: },"named":{"contentHash":"","modelId":"","names":[{"name":"","type":"","quote":""},{"references":[{"type":"author","to":{"value":"category"links_to","to":{"link":{"kind":"markdown","target":"./"}},"start":,"quote":""},{"type":"links_to","to":{"link":{"kind":"markdown","target":"./.md"}}],"tags":[],"hidden":[0,1'
)

export const factsToBytes = ({ hidden, named, references, tags }: Facts): Uint8Array =>
  deflateRawSync(toJson({ references, tags, hidden, ...(named === undefined ? {} : { named }) }), {
    dictionary
  })

export const factsFromBytes = (bytes: unknown): Facts =>
  fromJson(inflateRawSync(toBytes(bytes), { dictionary }).toString())

/** Whether facts can be read of the bytes. */
export const isFacts = (bytes: unknown): boolean => {
  try {
    return Array.isArray(factsFromBytes(bytes).references)
  } catch {
    return false
  }
}

export const wordsToBytes = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength)

/** As many hashes as there are whole ones. */
export const wordsFromBytes = (bytes: unknown): Uint32Array => {
  const read = toBytes(bytes)
  return new Uint32Array(read.buffer, 0, Math.floor(read.byteLength / 4))
}

/**
 * The words that stand in small letters, most of which are among all the words: a bit for each of those, lowest first,
 * and behind the bits those that are not among them.
 */
export const smallToBytes = (words: Uint32Array, small: Uint32Array): Uint8Array => {
  const bits = new Uint8Array(Math.ceil(words.length / 8))
  const rest: Array<number> = []
  const areAscending = isAscending(words) && isAscending(small)
  let at = 0
  for (const hash of small) {
    while (areAscending && (words[at] ?? hash) < hash) at++
    if (areAscending && words[at] === hash) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
    else rest.push(hash)
  }
  return Buffer.concat([bits, wordsToBytes(Uint32Array.from(rest))])
}

export const smallFromBytes = (words: Uint32Array, bytes: unknown): Uint32Array => {
  const read = toBytes(bytes)
  const rest = wordsFromBytes(read.slice(Math.ceil(words.length / 8)))
  const found = words.filter((_, at) => (((read[at >> 3] ?? 0) >> (at & 7)) & 1) === 1)
  return rest.length === 0 ? found : found.length === 0 ? rest : Uint32Array.from([...found, ...rest]).sort()
}

const isAscending = (hashes: Uint32Array): boolean =>
  hashes.every((hash, at) => at === 0 || (hashes[at - 1] ?? 0) < hash)
