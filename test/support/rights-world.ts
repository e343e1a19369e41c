import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { z } from "zod"
import { iriOf } from "../../core/knowledge/vocabulary/iris.js"
import type { createEngine, Engine } from "./database.js"

/** A workspace over these files, with the entities and relations that people made. */
export interface RightsWorld {
  readonly engine: Engine
  readonly documents: ReadonlyMap<string, string>
  readonly close: () => Promise<void>
}

const Entities = z.object({
  entities: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() }))
})
const Documents = z.object({ items: z.array(z.object({ id: z.string(), path: z.string() })) })

/** Opens a workspace over these files by the given function of the database at hand. */
export const openRightsWorld = async (
  open: typeof createEngine,
  files: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof createEngine>[0]> = {}
): Promise<RightsWorld> => {
  const vault = mkdtempSync(join(tmpdir(), "kanon-rights-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(join(vault, path), text)
  }
  const engine = await open({ ...options, vault, data: ":memory:", worker: true })
  await engine.ingest({ wait: true })
  const { items } = Documents.parse(await engine.documents.list({ limit: 200 }))
  return {
    engine,
    documents: new Map(items.map(({ id, path }) => [path, id])),
    close: () => engine.close()
  }
}

/** Names of ids that two workspaces give to the same things, so that what they answer can be compared. */
export const labelsOf = async ({ engine, documents }: RightsWorld): Promise<ReadonlyMap<string, string>> => {
  const labels = new Map<string, string>([[engine.workspace.id, "workspace"]])
  for (const [path, id] of documents) {
    labels.set(id, `document ${path}`)
    const { passages = [] } = await engine.documents
      .get(id, { render: "html" })
      // It is in the trash.
      .catch(() => ({ passages: [] }))
    for (const [place, { chunkId }] of passages.entries()) labels.set(chunkId, `passage ${place} of ${path}`)
  }
  const { entities } = Entities.parse(await engine.entities.list({ limit: 200 }))
  // A concept is named by the id of its entity in another form.
  labels.set(iriOf(engine.workspace.id), "scheme")
  for (const { id, name, type } of entities) labels.set(iriOf(id), `concept ${type} ${name}`)
  const names = new Map(entities.map(({ id, name, type }) => [id, `entity ${type} ${name}`]))
  for (const [id, name] of names) labels.set(id, name)
  for (const { id, srcEntityId, type, dstEntityId } of (await engine.relations.list({ limit: 200 })).items)
    labels.set(id, `relation ${names.get(srcEntityId)} ${type} ${names.get(dstEntityId)}`)
  return labels
}
