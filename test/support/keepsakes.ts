import { appendFileSync } from "node:fs"
import { join } from "node:path"
import type { EngineCalls } from "../../core/index.js"
import { orchard, run } from "./harm.js"
import type { Patient } from "./patient.js"

/** Damage after which all that people wrote is still there: what it is, and what does it. */
export type Keepsake = readonly [what: string, harm: (patient: Patient) => void]

const quarry = "(select id from document where path = 'quarry.md')"
const foundry = "(select id from document where path = 'foundry.md')"
const twin = "(select id from document where path = 'twin.md')"
const bo = "(select id from entity where name = 'Master Bo')"
const nobody = "doc_00000000000000000000000000"

const appendTo =
  (name: string) =>
  ({ vault }: Patient): void =>
    appendFileSync(join(vault, name), "\nAnd what nobody took in yet.\n")

const each =
  (...harms: ReadonlyArray<(patient: Patient) => void>) =>
  (patient: Patient): void => {
    for (const harm of harms) harm(patient)
  }

/** A document of three versions, one of two in the trash, and one of three that says what another says. */
export const writeMuch = async ({ using }: Patient): Promise<void> => {
  await using(
    async ({ documents, ingest }) => {
      const { content, id } = await documents.getByPath("quarry.md")
      await documents.replace(id, `${content}\nAnd stone.\n`)
      await documents.replace(id, `${content}\nAnd slate, and gravel.\n`)
      const gone = await documents.getByPath("foundry.md")
      await documents.replace(gone.id, `${gone.content}\nAnd iron.\n`)
      await documents.remove(gone.id)
      const { docId } = await documents.create({ path: "twin.md", content: "# Twin\n\nThe first draft.\n" })
      await documents.replace(docId, "# Twin\n\nThe draft that came second.\n")
      await documents.replace(docId, (await documents.getByPath("vineyard.md")).content)
      await ingest()
    },
    { worker: true }
  )
}

export const keepsakes: ReadonlyArray<Keepsake> = [
  [
    "a document that counts as of an earlier version",
    run(`update document set version = 1 where id = ${quarry}`)
  ],
  [
    "the same, whose file somebody changed",
    each(run(`update document set version = 2 where id = ${quarry}`), appendTo("quarry.md"))
  ],
  [
    "a document in the trash that counts as of an earlier version",
    run(`update document set version = 1 where id = ${foundry}`)
  ],
  [
    "a document that counts as of a version that there never was, whose file somebody changed",
    each(run(`update document set version = 5000 where id = ${quarry}`), appendTo("quarry.md"))
  ],
  [
    "an older version under a number that there never was",
    run(`update document_version set version = 9 where document_id = ${quarry} and version = 2`)
  ],
  [
    "the present version under a number that there never was",
    run(`update document_version set version = 9 where document_id = ${quarry} and version = 3`)
  ],
  [
    "an older version with the hash of nothing",
    run(
      `update document_version set content_hash = 'f' || substr(content_hash, 2)
        where document_id = ${quarry} and version = 2`
    )
  ],
  [
    "a document with the hash of nothing, whose file somebody changed",
    each(
      run(`update document set content_hash = 'f' || substr(content_hash, 2) where id = ${quarry}`),
      appendTo("quarry.md")
    )
  ],
  [
    "a document in the trash with the hash of nothing",
    run(`update document set content_hash = 'f' || substr(content_hash, 2) where id = ${foundry}`)
  ],
  ["a document that is gone and says what another says", run(`delete from document where id = ${twin}`)],
  [
    "versions under the id of nobody",
    run(`update document_version set document_id = '${nobody}' where document_id = ${quarry}`)
  ],
  [
    "a document in the trash that counts as live",
    run(`update document set deleted_at = null where id = ${foundry}`)
  ],
  [
    "a live document that counts as in the trash",
    run(`update document set deleted_at = '2026-01-01T00:00:00.000Z' where id = ${orchard}`)
  ],
  [
    "an entity that counts as of an earlier version",
    run(`update entity set version = 1, description = 'x' where id = ${bo}`)
  ],
  [
    "an entity that counts as of a version that there never was",
    run(`update entity set version = 50, description = 'x' where id = ${bo}`)
  ]
]

/** The same where nobody can say any more whose text it was: the texts alone have to be there. */
export const strewn: ReadonlyArray<Keepsake> = [
  [
    "an older version that is gone, but for its text",
    run(`delete from document_version where document_id = ${quarry} and version = 2`)
  ],
  [
    "a document that is gone, but for its file and its older texts",
    run(
      `delete from document_content where document_id = ${quarry}`,
      `delete from document where id = ${quarry}`
    )
  ],
  [
    "a document in the trash that is gone, but for its file there and its older texts",
    run(
      `delete from document_version where document_id = ${foundry}`,
      `delete from document_content where document_id = ${foundry}`,
      `delete from document where id = ${foundry}`
    )
  ]
]

/** What people wrote, by what it is. */
export type Written = ReadonlyMap<string, string>

/** Every version of every document with its text, and entities with all that was done to them. */
export const writtenIn = async ({
  documents,
  entities,
  trash
}: Pick<EngineCalls, "documents" | "entities" | "trash">): Promise<Written> => {
  const written = new Map<string, string>()
  // What is in the trash is read as whoever wants it back does.
  for (const { id, kind, label } of (await trash.list()).items)
    if (kind === "document") {
      await documents.restore(id)
      written.set(`trash: ${id}`, label)
    }
  for (const { id, path } of (await documents.list({ limit: 100 })).items) {
    written.set(`path: ${id}`, path)
    for (const { version } of (await documents.versions(id)).items) {
      const [one] = (await documents.versions(id, { version })).items
      written.set(`said: ${one?.content}`, "")
      written.set(`text: ${id} ${version}`, JSON.stringify([one?.content, one?.changedBy, one?.createdAt]))
    }
  }
  for (const { id } of (await entities.list({ limit: 100 })).entities) {
    const { aliases, description, name, type } = await entities.get(id)
    written.set(`entity: ${id}`, JSON.stringify([name, type, description, aliases]))
    for (const { changeKind, diff, version } of (await entities.revisions(id)).revisions)
      written.set(`revision: ${id} ${version}`, JSON.stringify([changeKind, diff]))
  }
  return written
}
