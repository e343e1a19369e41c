import { type Damage, flip, run } from "./harm.js"
import type { Patient } from "./patient.js"

const quarry = "(select id from document where path = 'quarry.md')"
const textOf = (version: number) =>
  `content_hash = (select content_hash from document_version where document_id = ${quarry} and version = ${version})`

/** A document of three versions: the first has the text of the last, the second one of its own. */
const after =
  (harm: (patient: Patient) => void) =>
  async (patient: Patient): Promise<void> => {
    await patient.using(
      async (engine) => {
        const { content, id } = await engine.documents.getByPath("quarry.md")
        await engine.documents.replace(id, `${content}\nAnd stone.\n`)
        await engine.documents.replace(id, content)
        await engine.ingest()
      },
      { worker: true }
    )
    harm(patient)
  }

/** Every kind of damage to versions of documents. */
export const versionDamages: ReadonlyArray<Damage> = [
  [
    "version_missing",
    "a present version that is gone",
    after(run(`delete from document_version where document_id = ${quarry} and verification is null`))
  ],
  [
    "versions_differ",
    "a present version with another text",
    after(
      run(
        `update document_version set content_hash = 'f' || substr(content_hash, 2)
          where document_id = ${quarry} and verification is null`
      )
    )
  ],
  [
    "versions_differ",
    "a version that there never was",
    after(
      run(
        `insert into document_version select workspace_id, document_id, 9, content_hash, size_bytes, origin, changed_by,
          activity, created_at, 'unverified' from document_version where document_id = ${quarry} and version = 2`
      )
    )
  ],
  [
    "versions_differ",
    "an older version that counts as the present one",
    after(
      run(`update document_version set verification = null where document_id = ${quarry} and version = 2`)
    )
  ],
  [
    "versions_differ",
    "an older version that counts as of another length than its text",
    after(
      run(
        `update document_version set size_bytes = size_bytes + 7 where document_id = ${quarry} and version = 1`
      )
    )
  ],
  [
    "version_lost",
    "an older text that is gone and is the present one too",
    after(run(`delete from document_text where ${textOf(1)}`))
  ],
  [
    "version_lost",
    "an older text that is gone everywhere",
    after(run(`delete from document_text where ${textOf(2)}`))
  ],
  ["version_lost", "an older text with a flipped bit", after(flip("document_text", "bytes", textOf(2)))],
  [
    "orphan_rows",
    "an older text that no version tells of",
    after(run(`delete from document_version where document_id = ${quarry} and version = 2`))
  ],
  [
    "orphan_rows",
    "versions of nobody",
    after(
      run(
        `insert into document_version select workspace_id, 'doc_00000000000000000000000000', version, content_hash,
          size_bytes, origin, changed_by, activity, created_at, verification from document_version
          where document_id = ${quarry}`
      )
    )
  ]
]
