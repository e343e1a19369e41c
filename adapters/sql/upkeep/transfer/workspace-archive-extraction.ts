import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { type DocumentId, groupBy, type InvalidExport } from "../../../../core/platform/kernel/index.js"
import type { ExtractionRecord } from "../../../../core/upkeep/transfer/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import {
  type ReadingRow,
  readingFromRow,
  runColumn,
  smallFromBytes,
  wordsFromBytes,
  wordsToBytes
} from "../../knowledge/extraction/extraction-record-rows.js"
import { claimFromRow, mentionFields } from "../../knowledge/graph/graph-rows.js"
import { tablePages } from "../../table-pages.js"
import { inOrder, type Source } from "./workspace-archive-pages.js"

/** Documents whose extraction is read at once. */
const documentsPerPage = 32

interface KeptReadingRow extends ReadingRow {
  readonly words: unknown
  readonly small: unknown
  readonly stale: unknown
}

interface OfDocument {
  readonly document_id: DocumentId
}

const evidenceColumns = columnsOf<ExtractionRecord["evidence"][number]>({
  relationId: text(),
  ordinal: number(),
  label: number(),
  quote: text()
})

/** Streams the extraction record of each document; documents without one are left out. */
export const extractionRecords = (source: Source): Stream.Stream<ExtractionRecord, InvalidExport> =>
  tablePages(
    source,
    { table: "document", select: "t.id", size: documentsPerPage },
    (rows: ReadonlyArray<{ readonly id: DocumentId }>) =>
      Effect.gen(function* () {
        const { gather, sql, workspace } = source
        if (rows.length === 0) return []
        const ids = rows.map(({ id }) => id)
        const own = sql.and([sql`workspace_id = ${workspace}`, sql.in("document_id", ids)])
        const ofDocument = ({ document_id }: OfDocument) => document_id
        const readings = groupBy(
          yield* sql<KeptReadingRow>`select * from graph_document where ${own}`,
          ofDocument
        )
        const numbers = sql`d.workspace_id = ${workspace} and ${sql.in("d.id", ids)}`
        const claims = groupBy(
          yield* sql<OfDocument>`select c.*, d.id as document_id from id_number d cross join graph_claim c
            where ${numbers} and c.workspace_id = ${workspace} and c.document_no = d.number`,
          ofDocument
        )
        const mentions = groupBy(
          yield* sql<OfDocument>`select m.*, d.id as document_id, e.id as entity_id, ${runColumn(sql, workspace)}
            from id_number d cross join mention m cross join id_number e
            where ${numbers} and m.workspace_id = ${workspace} and m.document_no = d.number
              and e.workspace_id = ${workspace} and e.number = m.entity_no`,
          ofDocument
        )
        const evidence = groupBy(
          yield* sql<OfDocument>`select * from relation_evidence where ${own}`,
          ofDocument
        )
        const known = rows.filter(({ id }) =>
          [readings, claims, mentions, evidence].some((part) => part.has(id))
        )
        return yield* gather("extraction", known, ({ id }): Effect.Effect<ExtractionRecord> => {
          const [reading] = readings.get(id) ?? []
          return Effect.succeed({
            kind: "extraction",
            documentId: id,
            reading: reading === undefined ? null : readingOf(reading),
            claims: inOrder((claims.get(id) ?? []).map(claimOf)),
            mentions: inOrder((mentions.get(id) ?? []).map(mentionFields)),
            evidence: inOrder((evidence.get(id) ?? []).map(evidenceColumns.read))
          })
        })
      })
  )

const readingOf = (row: KeptReadingRow): ExtractionRecord["reading"] => {
  const {
    aliases,
    documentId: _,
    hidden,
    named,
    references,
    stated,
    tags,
    targets,
    ...reading
  } = readingFromRow(row)
  const words = wordsFromBytes(row.words)
  return {
    ...reading,
    aliases: [...aliases],
    // Another extractor may have left more in them than the port knows.
    references: references.map(({ quote, start, to, type }) => ({
      type,
      to: "link" in to ? { link: { kind: to.link.kind, target: to.link.target } } : { value: to.value },
      start,
      quote
    })),
    targets: targets === null ? null : [...targets],
    tags: [...tags],
    hidden: [...hidden],
    stated: stated.map(({ end, from, fromType, rule, start, to, toType, type }) => ({
      type,
      from,
      to,
      fromType,
      toType,
      rule,
      start,
      end
    })),
    words: base64(words),
    small: base64(smallFromBytes(words, row.small)),
    stale: toNumber(row.stale) === 1,
    ...(named === undefined
      ? {}
      : {
          named: {
            contentHash: named.contentHash,
            modelId: named.modelId,
            names: named.names.map(({ name, quote, type }) => ({ name, type, quote })),
            // Rows from before relations were asked for have none.
            relations: (named.relations ?? []).map(({ from, quote, to, type }) => ({
              from,
              type,
              to,
              quote
            })),
            dropped: named.dropped ?? 0
          }
        })
  }
}

const base64 = (hashes: Uint32Array): string => Buffer.from(wordsToBytes(hashes)).toString("base64")

const claimOf = (row: object): ExtractionRecord["claims"][number] => {
  const { documentId: _, ...claim } = claimFromRow(row)
  return claim
}
