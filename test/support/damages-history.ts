import { type Damage, orchard, orchardNo, run } from "./harm.js"
import type { Patient } from "./patient.js"

const bo = "(select id from entity where name = 'Master Bo')"
const made = "(select id from entity where name = 'Barge')"

/** Requests of every kind and end, an entity of five revisions, a document that was verified and certified. */
export const history = async (patient: Patient): Promise<void> => {
  await patient.using(
    async ({ changeRequests, documents, entities, ingest }) => {
      const { id } = (await entities.resolve("Master Bo")).candidates[0] ?? { id: "" }
      const propose = async (kind: "create" | "update" | "deprecate" | "delete", payload: object) =>
        (
          await changeRequests.propose({
            kind,
            payload: { ...payload },
            note: `please ${kind}`,
            ...(kind === "create" ? {} : { entityId: id })
          })
        ).id
      await changeRequests.approve(await propose("create", { name: "Barge", type: "vessel" }), "seen")
      await changeRequests.approve(await propose("update", { description: "Keeps all ledgers." }))
      await changeRequests.reject(await propose("deprecate", { note: "retired" }), "not yet")
      await changeRequests.withdraw(await propose("delete", {}))
      await propose("update", { aliases: ["Bo"] })
      await entities.update(id, { aliases: ["Bo the Elder"] })
      await entities.update(id, { description: "Kept them." })
      const { content, id: quarry } = await documents.getByPath("quarry.md")
      await documents.verify(quarry, "verified")
      await documents.replace(quarry, `${content}\nAnd stone.\n`)
      await documents.verify(quarry, "certified")
      await ingest()
    },
    { worker: true }
  )
}

const after =
  (harm: (patient: Patient) => void) =>
  async (patient: Patient): Promise<void> => {
    await history(patient)
    harm(patient)
  }

/** Who certified what the documents name, and removed the alias that they give it. */
export const curated = async ({ using }: Patient): Promise<void> => {
  await using(
    async ({ changeRequests, entities, ingest }) => {
      const { candidates } = await entities.resolve("The Orchard Place")
      const id = candidates[0]?.id ?? ""
      await entities.certify(id)
      const proposed = {
        kind: "update",
        entityId: id,
        payload: { aliases: [], description: "Old." }
      } as const
      await changeRequests.approve((await changeRequests.propose(proposed)).id)
      await ingest()
    },
    { worker: true }
  )
}

const named = "name = 'Orchard' and origin = 'extraction'"

/** A workspace that there is not. */
const stranger = "ws_00000000000000000000000000"

const of = (kind: string) => `note = 'please ${kind}'`

/** Every kind of damage to requests and revisions, of which others tell too. */
export const historyDamages: ReadonlyArray<Damage> = [
  [
    "request_differs",
    "requests in states that there are not",
    after(run("update change_request set status = 'perhaps'"))
  ],
  [
    "request_differs",
    "requests that are decided at no time, and an open one that is",
    after(
      run(
        "update change_request set reviewed_at = null where status <> 'open'",
        "update change_request set reviewed_at = 'today' where status = 'open'",
        "update change_request set created_at = 'yesterday'"
      )
    )
  ],
  [
    "request_differs",
    "requests that others decided otherwise",
    after(
      run(
        "update change_request set status = 'rejected', applied_entity_id = null where status = 'approved'",
        "update change_request set reviewed_by = 'nobody', review_note = null, proposed_by = 'somebody' where status <> 'open'"
      )
    )
  ],
  [
    "request_differs",
    "requests of another kind about another",
    after(
      run(
        `update change_request set kind = 'merge', entity_id = ${made} where ${of("update")}`,
        `update change_request set entity_id = ${bo} where kind = 'create'`
      )
    )
  ],
  [
    "row_unreadable",
    "approved requests whose payload is no JSON, and one that was none",
    after(
      run(
        "update change_request set payload = '{' where status = 'approved'",
        `update change_request set payload = '[]' where ${of("delete")}`
      )
    )
  ],
  [
    "request_differs",
    "an approved request that asks for nothing",
    after(run("update change_request set payload = '{}' where status = 'approved'"))
  ],
  [
    "entity_unrevised",
    "an entity that a person certified and that counts as found alone",
    async (patient) => {
      await curated(patient)
      run(`update entity set touched = 0 where ${named}`)(patient)
    }
  ],
  [
    "entity_unrevised",
    "fields that a person set and that count as found",
    async (patient) => {
      await curated(patient)
      run(`update entity set person_fields = '[]' where ${named}`)(patient)
    }
  ],
  [
    "entity_unrevised",
    "entities that people made and that count as found",
    run("update entity set touched = 0 where origin = 'manual'")
  ],
  [
    "request_differs",
    "an approved request that asks for what an open one does",
    after(
      run(
        `update change_request set payload = (select o.payload from change_request o
          where o.kind = 'update' and o.id <> change_request.id) where ${of("update")}`
      )
    )
  ],
  [
    "request_differs",
    "an approved request that asks to make another than it made",
    after(
      run(
        `update change_request set payload = json_set(payload, '$.name', 'Raft', '$.aliases', json('["R"]'))
          where ${of("create")}`
      )
    )
  ],
  [
    "workspace_differs",
    "a name and settings that nobody gave",
    async (patient) => {
      await patient.using(async ({ updateWorkspace }) => {
        await updateWorkspace({ name: "Estate", policy: { risk: { alpha: 0.1, delta: 0.1 } } })
        await updateWorkspace({ retention: { trashDays: 30, answerDays: 9 }, policy: { risk: null } })
        await updateWorkspace({ retention: { answerDays: 400 }, cacheMode: "on" })
      })
      run(
        "update workspace set name = 'Other', settings = json_set(settings, '$.retention.trashDays', 1, '$.cacheMode', 'off')"
      )(patient)
    }
  ],
  ["request_lost", "requests of every end that are gone", after(run("delete from change_request"))],
  [
    "row_unreadable",
    "states of which nothing can be read, in the middle, first and last",
    after(
      run(
        `update entity_revision set snapshot = '{' where entity_id = ${bo} and version in (1, 3, 5)`,
        `update entity_revision set snapshot = '[null]' where entity_id = ${made}`
      )
    )
  ],
  [
    "row_unreadable",
    "changes of which nothing can be read",
    after(
      run(
        `update entity_revision set diff = '[' where entity_id = ${bo}`,
        `update entity_revision set diff = '[]' where entity_id = ${made}`
      )
    )
  ],
  [
    "row_unreadable",
    "two states after each other, and the row with them",
    after(
      run(
        `update entity_revision set snapshot = 'x' where entity_id = ${bo} and version in (4, 5)`,
        `delete from entity_alias where entity_id = ${bo}`,
        `delete from entity where id = ${bo}`
      )
    )
  ],
  [
    "document_differs",
    "a document whose worth and moments are none",
    after(
      run(
        "update document set verification = 'perhaps', verified_by = null, verified_at = 'then', next_verify_at = 'some day', created_at = 'once', updated_at = 'now' where path = 'quarry.md'",
        "update document set verified_by = 'x', verified_at = 'yesterday' where path = 'orchard.md'",
        "update document set deleted_at = 'yesterday', created_at = 'x' where deleted_at is not null"
      )
    )
  ],
  [
    "document_differs",
    "a document that nobody verified and one that somebody did, the other way round",
    after(run("update document set verification = 'deprecated' where path = 'quarry.md'"))
  ],
  [
    "versions_differ",
    "versions that came to be in no way, at no time",
    after(
      run(
        "update document_version set origin = 'heaven', created_at = 'once'",
        "update document_version set verification = 'perhaps' where verification is not null"
      )
    )
  ],
  [
    "rows_astray",
    "rows of a workspace that there is not",
    after(
      run(
        `update mention set workspace_id = '${stranger}' where document_no = ${orchardNo}`,
        `update vector set workspace_id = '${stranger}' where label < 5`,
        `update chunk set workspace_id = '${stranger}' where document_id = ${orchard} and ordinal < 3`,
        `update document_content set workspace_id = '${stranger}' where document_id = ${orchard}`,
        `update document_version set workspace_id = '${stranger}' where version = 1`,
        `update entity_revision set workspace_id = '${stranger}' where entity_id = ${bo} and version > 1`,
        `update change_request set workspace_id = '${stranger}' where kind = 'update'`,
        `update entity_alias set workspace_id = '${stranger}'`,
        `update entity set workspace_id = '${stranger}' where name in ('Master Bo', 'Selborne Estate')`,
        `update document set workspace_id = '${stranger}' where path = 'quarry.md'`
      )
    )
  ],
  [
    "document_id_differs",
    "a document under the id of nobody",
    after(run("update document set id = 'doc_00000000000000000000000000' where path = 'quarry.md'"))
  ],
  [
    "versions_differ",
    "a version under another document",
    after(run(`update document_version set document_id = ${orchard} where version = 2`))
  ],
  [
    "revision_broken",
    "revisions of a kind that there is not, made at no time",
    after(run(`update entity_revision set change_kind = 'whim', created_at = 'once' where entity_id = ${bo}`))
  ]
]
