import { deflateRawSync, inflateRawSync } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { ExtractionRecord } from "../../../../core/knowledge/graph/index.js"
import type { DocumentId, JobId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson, toBytes, toJson, toNumber } from "../../codec.js"
import { columnsOf, json, orNull, text } from "../../columns.js"
import { insertRows } from "../../rows.js"

/** Extracted facts, stored compressed. */
type Facts = Pick<ExtractionRecord, "references" | "tags" | "hidden" | "stated" | "named">

/** Compression dictionary of common content. Stored rows depend on these exact bytes: do not change them. */
const dictionary = Buffer.from(
  '"to":{"value":"","to":{"link":{"kind":"wiki","heading":null,"start":null,"quote":"tags: },"named":{"contentHash":"","modelId":"","names":[{"name":"","type":"","quote":""},{"references":[{"type":"author","to":{"value":"category"links_to","to":{"link":{"kind":"markdown","target":"./"}},"start":,"quote":""},{"type":"links_to","to":{"link":{"kind":"markdown","target":"./.md"}}],"tags":[],"hidden":[0,1'
)

export const factsToBytes = ({ hidden, named, references, stated, tags }: Facts): Uint8Array =>
  deflateRawSync(toJson({ references, tags, hidden, stated, ...(named === undefined ? {} : { named }) }), {
    dictionary
  })

export const factsFromBytes = (bytes: unknown): Facts => ({
  // Rows from before sentences were read have none.
  stated: [],
  ...fromJson<Omit<Facts, "stated">>(inflateRawSync(toBytes(bytes), { dictionary }).toString())
})

/** The columns of an extraction record except its facts and words. */
export const readingColumns = columnsOf<Omit<ExtractionRecord, keyof Facts>>({
  documentId: text(),
  path: text(),
  title: text(),
  aliases: json(),
  nameKey: text(),
  nameType: text(),
  entityId: text(),
  targets: orNull(json())
})

export interface ReadingRow {
  readonly document_id: DocumentId
  readonly facts: unknown
}

export const readingFromRow = (row: ReadingRow): ExtractionRecord => ({
  ...readingColumns.read(row),
  ...factsFromBytes(row.facts)
})

/** Returns whether bytes can be decoded to facts. */
export const isFacts = (bytes: unknown): boolean => {
  try {
    return Array.isArray(factsFromBytes(bytes).references)
  } catch {
    return false
  }
}

export const wordsToBytes = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength)

/** Decodes hashes, ignoring an incomplete last one. */
export const wordsFromBytes = (bytes: unknown): Uint32Array => {
  const read = toBytes(bytes)
  return new Uint32Array(read.buffer, 0, Math.floor(read.byteLength / 4))
}

/**
 * Encodes lower-case words, most of which are among all words: one bit per word, lowest first, followed by the
 * remaining ones.
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

/** Returns numbers for runs, assigning new ones in the caller's unit of work; called with few runs at a time. */
export const runNumbers = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, ids: ReadonlyArray<JobId>) =>
  Effect.gen(function* () {
    const distinctIds = [...new Set(ids)]
    if (distinctIds.length === 0) return new Map<JobId, number>()
    const known = yield* sql<{ job_id: JobId; number: unknown }>`select job_id, number from extraction_run
      where workspace_id = ${workspace} and ${sql.in("job_id", distinctIds)}`
    const numbers = new Map(known.map(({ job_id, number }) => [job_id, toNumber(number)]))
    const fresh = distinctIds.filter((id) => !numbers.has(id))
    if (fresh.length === 0) return numbers
    const [last] = yield* sql<{
      number: unknown
    }>`select coalesce(max(number), 0) as number from extraction_run
      where workspace_id = ${workspace}`
    for (const [place, id] of fresh.entries()) numbers.set(id, toNumber(last?.number) + 1 + place)
    yield* insertRows(
      sql,
      "extraction_run",
      fresh.map((id) => ({ workspace_id: workspace, number: numbers.get(id) ?? 0, job_id: id }))
    )
    return numbers
  })

/** Returns the column with the run of a mention `m`. */
export const runColumn = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  sql`(select r.job_id from extraction_run r where r.workspace_id = ${workspace} and r.number = m.run) as run_id`
