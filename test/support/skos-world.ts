import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import type { Engine } from "../../adapters/sqlite/index.js"
import { type RdfSource, SkosDocument, type SkosNode } from "../../core/knowledge/vocabulary/index.js"
import { createEngine } from "./database.js"

// Workspaces that import vocabularies, and what they hold afterwards.

export const openedIn = (folder: string): Promise<Engine> =>
  createEngine({ vault: mkdtempSync(join(folder, "vault-")), data: ":memory:", thread: false })

/** Waits for the jobs of a kind to succeed; fails with the error of a dead one. */
export const ended = async (engine: Engine, kind: string): Promise<void> => {
  for (;;) {
    const { items } = await engine.jobs.list({ kind })
    if (items.length > 0 && items.every(({ status }) => status === "succeeded")) return
    const dead = items.find(({ status }) => status === "dead")
    if (dead !== undefined) throw new Error(dead.error ?? "dead")
    await new Promise((done) => setTimeout(done, 10))
  }
}

type Options = Omit<NonNullable<Parameters<Engine["importSkos"]>[1]>, "mode">

/** Imports a vocabulary; returns the report of the job and the one that was foreseen. */
export const taken = async (
  engine: Engine,
  source: RdfSource,
  mode: "apply" | "propose" = "apply",
  options: Options = {}
) => {
  const { jobId, ...foreseen } = await engine.importSkos(source, { mode, ...options })
  await ended(engine, "skos_import")
  return { foreseen, report: await engine.skosImport(jobId ?? "") }
}

export const exported = async (engine: Engine): Promise<SkosDocument> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of engine.exportSkos()) text += decoder.decode(piece, { stream: true })
  return SkosDocument.parse(JSON.parse(text))
}

export const byIri = (document: SkosDocument, iri: string): SkosNode | undefined =>
  document["@graph"].find((node) => node["@id"] === iri)
