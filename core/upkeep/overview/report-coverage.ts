import type { ListedDocument } from "../../files/documents/index.js"
import type { DocumentId } from "../../platform/kernel/index.js"
import type { HubConcept } from "./model.js"
import type { CoverageMatrix } from "./report-model.js"
import type { DocumentMentions } from "./report-store.js"

/** Folder of documents that lie in none. */
const rootFolder = "(top level)"

export const folderOf = (path: string): string =>
  path.includes("/") ? path.slice(0, path.indexOf("/")) : rootFolder

const tiers = ["certified", "verified", "unverified", "deprecated"] as const

/** Counts documents and mentions of hub concepts and entity types by folder and by verification tier. */
export const coverageMatrix = (
  hubs: ReadonlyArray<HubConcept>,
  documents: ReadonlyArray<ListedDocument>,
  mentions: ReadonlyArray<DocumentMentions>
): CoverageMatrix => {
  const byId = new Map(documents.map((document) => [document.id, document]))
  const folders = [...new Set(documents.map(({ path }) => folderOf(path)))].sort()
  const types = [...new Set(mentions.map(({ entityType }) => entityType))].sort()
  const isHub = new Set<string>(hubs.map(({ id }) => id))
  const cells = new Map<
    string,
    { row: string; column: string; documents: Set<DocumentId>; mentions: number }
  >()
  for (const one of mentions) {
    const document = byId.get(one.documentId)
    if (document === undefined) continue
    const rows = [...(isHub.has(one.entityId) ? [one.entityId] : []), `type:${one.entityType}`]
    for (const row of rows) {
      for (const column of [`folder:${folderOf(document.path)}`, `tier:${document.verification}`]) {
        const key = `${row}\n${column}`
        const cell = cells.get(key) ?? { row, column, documents: new Set(), mentions: 0 }
        cells.set(key, cell)
        cell.documents.add(document.id)
        cell.mentions += one.mentions
      }
    }
  }
  return {
    rows: [
      ...hubs.map(({ id, name }) => ({ id: `${id}`, label: name })),
      ...types.map((type) => ({ id: `type:${type}`, label: `${type} (type)` }))
    ],
    columns: [
      ...folders.map((folder) => ({ id: `folder:${folder}`, label: folder })),
      ...tiers.map((tier) => ({ id: `tier:${tier}`, label: tier }))
    ],
    cells: [...cells.values()].map((cell) => ({ ...cell, documents: cell.documents.size }))
  }
}
