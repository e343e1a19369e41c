import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { AuditLog } from "../../../core/audit/index.js"
import { createUser, mintAsHost, revokeAsHost } from "../../../core/identity/index.js"
import { scopeOf } from "../../../core/kernel/index.js"
import { examined, harm, holders, onEither, runHolders, type Seeded, seeded } from "../../support/holders.js"
import { withPatient } from "../../support/patient.js"
import { asCaller, makeWorkspace } from "../../support/run.js"

/** What somebody changes, whom it is told of, and in which words. */
const harms: ReadonlyArray<
  readonly [
    harm: (at: Seeded) => readonly [string, ReadonlyArray<string>],
    subject: (at: Seeded) => string,
    words: string
  ]
> = [
  [
    ({ plain }) => [
      `update api_key set scopes = '["workspace:admin","kb:read"]' where id = $1`,
      [plain.key.id]
    ],
    ({ plain }) => `key_differs key ${plain.key.id}`,
    "scopes"
  ],
  [
    ({ personal }) => ["update api_key set reaches_all = 1 where id = $1", [personal.key.id]],
    ({ personal }) => `key_differs key ${personal.key.id}`,
    "grant"
  ],
  [
    ({ bo, personal }) => ["update api_key set user_id = $1 where id = $2", [bo.id, personal.key.id]],
    ({ personal }) => `key_differs key ${personal.key.id}`,
    "userId"
  ],
  [
    ({ ending }) => ["update api_key set expires_at = null where id = $1", [ending.key.id]],
    ({ ending }) => `key_differs key ${ending.key.id}`,
    "expiresAt"
  ],
  [
    ({ rotated }) => [
      "update api_key set expires_at = null, replaced_by = null where id = $1",
      [rotated.key.id]
    ],
    ({ rotated }) => `key_differs key ${rotated.key.id}`,
    "expiresAt, replacedBy"
  ],
  [
    ({ revoked }) => ["update api_key set revoked_at = null where id = $1", [revoked.key.id]],
    ({ revoked }) => `key_differs key ${revoked.key.id}`,
    "revokedAt"
  ],
  [
    ({ plain }) => ["update api_key set name = 'writer' where id = $1", [plain.key.id]],
    ({ plain }) => `key_differs key ${plain.key.id}`,
    "name"
  ],
  [
    ({ ada }) => ["update membership set role = 'admin' where user_id = $1", [ada.id]],
    ({ ada }) => `member_differs member ${ada.id}`,
    "another role: member, not admin"
  ],
  [
    ({ bo, workspace }) => [
      "insert into membership (workspace_id, user_id, role, created_at) values ($1, $2, 'member', '2026-01-01T00:00:00.000Z')",
      [workspace, bo.id]
    ],
    ({ bo }) => `member_differs member ${bo.id}`,
    "left"
  ]
]

/** What a repair can tell of and not mend. */
const lasting: typeof harms = [
  [
    ({ next, plain }) => [
      "update api_key set hash = 'h' || (select hash from api_key where id = $1) where id = $2",
      [next.key.id, plain.key.id]
    ],
    ({ plain }) => `key_differs key ${plain.key.id}`,
    "another secret"
  ],
  [
    ({ plain }) => [
      "insert into api_key select 'key_01kyyyyyyyyyyyyyyyyyyyyyyy', 'forged', kind, name, prefix, scopes, reaches_all, user_id, created_at, created_by, last_used_at, expires_at, revoked_at, replaced_by from api_key where id = $1",
      [plain.key.id]
    ],
    () => "key_differs key key_01kyyyyyyyyyyyyyyyyyyyyyyy",
    "no event"
  ],
  [
    ({ workspace }) => [
      "insert into membership (workspace_id, user_id, role, created_at) select $1, id, 'admin', created_at from host_user where display_name = 'Cy'",
      [workspace]
    ],
    () => "member_differs member usr_",
    "no event"
  ]
]
describe.each(onEither)("keys and members against the trail: %s", (_name, base) => {
  const run = runHolders(base)

  it("agree after whatever the commands do, and a trail of another workspace says nothing of them", () =>
    run(
      Effect.gen(function* () {
        const { inside, next } = yield* seeded
        expect(yield* inside(examined(true))).toEqual([])
        const { inside: elsewhere } = yield* seeded
        expect(yield* elsewhere(examined(true))).toEqual([])
        yield* inside(revokeAsHost(next.key.id))
        expect(yield* inside(examined(true))).toEqual([])
      })
    ))

  it("differ where somebody changed a row to another right value; what the trail tells is put back", () =>
    run(
      Effect.gen(function* () {
        const at = yield* seeded
        const before = yield* holders
        for (const [change, subject, words] of harms) {
          const [statement, values] = change(at)
          yield* harm(statement, values)
          const harmed = yield* holders
          expect(harmed, statement).not.toEqual(before)
          const told = yield* at.inside(examined(false))
          expect(told, statement).toHaveLength(1)
          expect(told[0], statement).toContain(`${subject(at)}: `)
          expect(told[0], statement).toContain(words)
          expect(yield* at.inside(examined(true, false)), "a broken trail mends nothing").toEqual(told)
          expect(yield* holders, statement).toEqual(harmed)
          expect(yield* at.inside(examined(true)), statement).toEqual(told)
          expect(yield* at.inside(examined(false)), statement).toEqual([])
          const mended = yield* holders
          const gone = ({ members, ...rest }: typeof before) => ({ ...rest, members: members.length })
          expect(gone(mended), statement).toEqual(gone(before))
        }
      })
    ))

  it("are told of, and left, where the trail does not say what to put back; no secret and no hash is told", () =>
    run(
      Effect.gen(function* () {
        const at = yield* seeded
        yield* asCaller(yield* makeWorkspace())(createUser("Cy"))
        for (const [place, [change, subject, words]] of lasting.entries()) {
          const [statement, values] = change(at)
          yield* harm(statement, values)
          if (place === 1)
            yield* harm(
              "insert into key_grant (workspace_id, key_id) values ($1, 'key_01kyyyyyyyyyyyyyyyyyyyyyyy')",
              [at.workspace]
            )
          const harmed = yield* holders
          for (const repair of [false, true]) {
            const told = yield* at.inside(examined(repair))
            expect(told).toHaveLength(place + 1)
            const mine = told.filter((one) => one.startsWith(subject(at)))
            expect(mine).toHaveLength(1)
            expect(mine[0]).toContain(words)
            for (const { hash } of harmed.keys) expect(told.join()).not.toContain(String(hash))
            expect(told.join()).not.toMatch(/[0-9a-f]{16}/)
          }
          expect(yield* holders).toEqual(harmed)
        }
      })
    ))

  it("have the moments again that they had, where a row holds none", () =>
    run(
      Effect.gen(function* () {
        const { inside, ada } = yield* seeded
        const moments = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          return yield* sql<{ readonly made: string; readonly since: string }>`select u.created_at as made,
            m.created_at as since from membership m join host_user u on u.id = m.user_id`
        })
        const millisIn = (at: { readonly made: string; readonly since: string } | undefined) =>
          [at?.made, at?.since].map((text) => new Date(text ?? "").getTime())
        const [before] = yield* moments
        yield* harm("update host_user set created_at = 'once' where id = $1", [ada.id])
        yield* harm("update membership set created_at = 'x'", [])
        yield* inside(examined(true, false))
        expect((yield* moments)[0], "a broken trail mends nothing").toMatchObject({ since: "x" })
        yield* inside(examined(true))
        const [after] = yield* moments
        for (const [place, at] of millisIn(before).entries())
          expect(Math.abs((millisIn(after)[place] ?? Number.NaN) - at)).toBeLessThan(60_000)
        expect(yield* inside(examined(true))).toEqual([])
      })
    ))

  it("stand in the trail of the workspace that a key reaches, from wherever a host made and ended it", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = [yield* makeWorkspace(), yield* makeWorkspace()]
        const owner = { kind: "workspace", workspace: there } as const
        const { key } = yield* asCaller(here)(
          mintAsHost({ name: "other", scopes: ["kb:read"], expiresAt: null, owner })
        )
        yield* asCaller(here)(revokeAsHost(key.id))
        const log = yield* AuditLog
        const told = yield* log.ofSubject(scopeOf(there), key.id, 10)
        expect(told.map(({ action }) => action)).toEqual(["key.revoke", "key.mint"])
        expect(yield* log.ofSubject(scopeOf(here), key.id, 10)).toEqual([])
        const [kept] = (yield* holders).keys
        expect(JSON.stringify(told)).not.toContain(String(kept?.["hash"]))
      })
    ))

  it("hold a key for made where any trail of the host tells of it, as those of earlier versions did", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = [yield* makeWorkspace(), yield* makeWorkspace()]
        const owner = { kind: "workspace", workspace: here } as const
        const { key } = yield* asCaller(here)(
          mintAsHost({ name: "old", scopes: ["kb:read"], expiresAt: null, owner })
        )
        yield* harm("update key_grant set workspace_id = $1 where key_id = $2", [there, key.id])
        expect(yield* asCaller(there)(examined(false))).toEqual([])
        yield* harm("update api_key set id = 'key_01kyyyyyyyyyyyyyyyyyyyyyyy'", [])
        yield* harm("update key_grant set key_id = 'key_01kyyyyyyyyyyyyyyyyyyyyyyy'", [])
        expect(yield* asCaller(there)(examined(false))).toHaveLength(1)
      })
    ))
})

describe("the doctor", () => {
  it("looks at members and keys too", () =>
    withPatient(async (patient) => {
      const { id } = await patient.using((engine) => Promise.resolve(engine.workspace))
      patient.sql((database) => {
        database.exec(
          "insert into host_user (id, display_name, created_at) values ('usr_01k00000000000000000000000', 'Eve', '2026-01-01T00:00:00.000Z')"
        )
        database
          .prepare(
            "insert into membership (workspace_id, user_id, role, created_at) values (?, 'usr_01k00000000000000000000000', 'admin', '2026-01-01T00:00:00.000Z')"
          )
          .run(id)
      })
      await patient.using(async (engine) => {
        expect((await engine.doctor({ repair: true })).findings).toEqual([
          expect.objectContaining({ code: "member_differs", severity: "difference", repaired: false })
        ])
      })
    }))
})
