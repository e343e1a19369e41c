import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { createEngine, type Engine } from "../../adapters/sqlite/index.js"

/** A workspace on disk, closed. */
export interface Patient {
  readonly vault: string
  readonly data: string
  /** Opens the database by itself, hands it over, closes it. */
  readonly sql: <A>(use: (database: Database.Database) => A) => A
  /** Opens an engine that mends nothing by itself, hands it over, closes it. */
  readonly using: <A>(
    use: (engine: Engine) => Promise<A>,
    options?: { readonly worker?: boolean }
  ) => Promise<A>
}

/** The workspace in a folder. */
const patientIn = (root: string): Patient => {
  const [vault, data] = [join(root, "vault"), join(root, "data")]
  return {
    vault,
    data,
    sql: (use) => {
      const database = new Database(join(data, "kanon.sqlite"))
      try {
        return use(database)
      } finally {
        database.close()
      }
    },
    using: async (use, { worker = false } = {}) => {
      const engine = await createEngine({ vault, data, worker, mend: false, thread: false })
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    }
  }
}

const topics = ["Orchard", "Harbour", "Quarry", "Foundry", "Vineyard", "Lighthouse"]
const sections = 10

/** A page with ten passages, links to the others, tags and a term that all of them use. */
const page = (topic: string, place: number): string =>
  [
    "---",
    `title: ${topic}`,
    `aliases: [The ${topic} Place]`,
    `tags: [site, ${place % 2 === 0 ? "north" : "south"}]`,
    "---",
    ...Array.from(
      { length: sections },
      (_, section) =>
        `\n## ${topic} part ${section}\n\nThe ${topic} of the Selborne Estate keeps ${section + 2} ledgers of ${topic.toLowerCase()} work. ` +
        `See [[${topics[(place + section + 1) % topics.length]}]] for the season of ${1900 + section * place}.\n`
    )
  ].join("\n")

let healthy: Promise<string> | undefined

const makeHealthy = async (): Promise<string> => {
  const root = mkdtempSync(join(tmpdir(), "kanon-healthy-"))
  const patient = patientIn(root)
  mkdirSync(patient.vault)
  for (const [place, topic] of topics.entries())
    writeFileSync(join(patient.vault, `${topic.toLowerCase()}.md`), page(topic, place))
  // A file changed within two seconds is read again: the test wants to start from rest.
  for (const topic of topics)
    utimesSync(join(patient.vault, `${topic.toLowerCase()}.md`), new Date(2020, 1, 1), new Date(2020, 1, 1))
  await patient.using(
    async (engine) => {
      await engine.ingest()
      const gone = await engine.documents.getByPath("lighthouse.md")
      await engine.documents.remove(gone.id)
      await engine.entities.create({ name: "Mistress Ada", type: "person", aliases: ["Ada"] })
      const made = await engine.entities.create({ name: "Master Bo", type: "person" })
      await engine.entities.update(made.id, { description: "Keeps the ledgers." })
      await engine.ingest()
    },
    { worker: true }
  )
  return root
}

/** Hands over a copy of a whole workspace: five live documents, one in the trash, two entities made by a person. */
export const withPatient = async (use: (patient: Patient) => Promise<void>): Promise<void> => {
  healthy ??= makeHealthy()
  const root = mkdtempSync(join(tmpdir(), "kanon-patient-"))
  try {
    cpSync(await healthy, root, { recursive: true, preserveTimestamps: true })
    await use(patientIn(root))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Removes the workspace that the copies are made of; test files share this module, so the next one makes its own. */
export const burnHealthy = async (): Promise<void> => {
  const root = healthy
  healthy = undefined
  if (root !== undefined) rmSync(await root, { recursive: true, force: true })
}
