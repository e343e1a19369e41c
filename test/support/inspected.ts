import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { createEngine } from "../../adapters/sqlite/index.js"
import type { Engine } from "../../core/engine/engine/index.js"
import type { Patient } from "./patient.js"

/** Opens a workspace and inspects it. */
export const inspect = ({ using }: Patient, repair = false) => using((engine) => engine.doctor({ repair }))

/** The findings that are differences. */
export const differences = ({ findings }: Awaited<ReturnType<Engine["doctor"]>>) =>
  findings.flatMap(({ code, repaired, severity, subject }) =>
    severity === "difference" ? [{ code, subject, repaired }] : []
  )

/** A query for each document, and the document that it must find first. */
const queries = ["Orchard part 3", "Quarry part 7", "Vineyard part 5", "Foundry part 2"]

/** Entities that the test workspace has by hand. */
const madeByPeople: ReadonlySet<string> = new Set(["Mistress Ada", "Master Bo"])

/** The derived data of a workspace in words without ids: documents, search results, entities with their mentions. */
const derivedPicture = async (engine: Engine) => {
  const documents = await engine.documents.list({ limit: 100 })
  const found: Array<readonly [string, string | undefined]> = []
  for (const query of queries)
    found.push([query, (await engine.search(query, { limit: 5 })).results[0]?.docPath])
  const entities: Array<readonly [string, string, number]> = []
  for (const { id, name, type } of (await engine.entities.list({ limit: 100 })).entities)
    if (!madeByPeople.has(name)) entities.push([name, type, (await engine.entities.mentions(id)).total])
  const { checked } = await engine.doctor()
  const { drawn, passages, postings, vectors } = checked
  return {
    documents: documents.items.map(({ path, title }) => [path, title]).sort(),
    found,
    entities: entities.sort(),
    counts: { drawn, passages, postings, vectors }
  }
}

/** The derived data of a fresh ingest of the Markdown files of a vault. */
const freshPicture = async (vault: string) => {
  const root = mkdtempSync(join(tmpdir(), "kanon-fresh-"))
  try {
    cpSync(vault, join(root, "vault"), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !path.includes(".kanon")
    })
    const engine = await createEngine({ vault: join(root, "vault"), data: join(root, "data"), thread: false })
    try {
      await engine.ingest()
      return await derivedPicture(engine)
    } finally {
      await engine.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/**
 * Inspects a damaged workspace: an inspection finds the damage and changes nothing, a repair corrects it, and then the
 * derived data equals that of a fresh ingest.
 */
export const expectRebuilt = async (
  engine: Engine,
  {
    codes,
    contents,
    vault
  }: {
    /** Codes of which each must be found. */
    readonly codes: ReadonlyArray<string>
    /** Everything that the tables hold. */
    readonly contents: () => unknown
    readonly vault: string
  }
) => {
  const before = await contents()
  const found = await engine.doctor()
  expect(found).toMatchObject({ ok: false, repaired: 0 })
  expect(differences(found).map(({ code }) => code)).toEqual(expect.arrayContaining([...codes]))
  expect(await contents()).toEqual(before)
  const repaired = await engine.doctor({ repair: true })
  expect(differences(repaired).filter((finding) => !finding.repaired)).toEqual([])
  expect(repaired).toMatchObject({ ok: true, differences: 0 })
  expect(differences(await engine.doctor())).toEqual([])
  expect(await derivedPicture(engine)).toEqual(await freshPicture(vault))
}
