import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import noteTrailFrom from "../../../adapters/sql/migrations/0070-trail-from.js"
import { AuditLog } from "../../../core/audit/index.js"
import { addMember, mintAsHost } from "../../../core/identity/index.js"
import { examined, harm, holders, onEither, runHolders, type Seeded, seeded } from "../../support/holders.js"

/** What somebody removes, whom it is told of and in which words, the newest event after a repair, and whether all is back. */
const lost = ({ ada, personal, plain, revoked }: Seeded): ReadonlyArray<Lost> => [
  [
    ["delete from membership where user_id = $1", [ada.id]],
    `member_lost member ${ada.id}`,
    "made them a member (member)",
    "member.repair",
    true
  ],
  ...[plain, personal].map(({ key }) => withoutGrant(key.id)),
  ...[plain, revoked].map(({ key }) => withoutRow(key.id))
]

type Lost = readonly [
  harm: readonly [string, ReadonlyArray<string>],
  subject: string,
  words: string,
  action: string,
  isBack: boolean
]

const withoutGrant = (key: string): Lost => [
  ["delete from key_grant where key_id = $1", [key]],
  `key_lost key ${key}`,
  "does not reach it",
  "key.repair",
  true
]

const withoutRow = (key: string): Lost => [
  ["delete from api_key where id = $1", [key]],
  `key_lost key ${key}`,
  "make another",
  "key.forget",
  false
]

describe.each(onEither)("keys and members that the trail tells of and that are gone: %s", (_name, base) => {
  const run = runHolders(base)

  it("are told of where their rows are gone; what the trail tells is put back, and of what it does not, it says so", () =>
    run(
      Effect.gen(function* () {
        const at = yield* seeded
        const before = yield* holders
        const timeless = ({ members, ...rest }: typeof before) => ({
          ...rest,
          members: members.map(({ created_at: _, ...member }) => member)
        })
        const actions = (subject: string) =>
          Effect.map(
            Effect.flatMap(AuditLog, (log) => log.ofSubject(at.workspace, subject, 1)),
            ([event]) => event?.action
          )
        for (const [statement, subject, words, action, isBack] of lost(at)) {
          yield* harm(...statement)
          const harmed = yield* holders
          const told = yield* at.inside(examined(false))
          expect(told, words).toHaveLength(1)
          expect(told[0]).toContain(subject)
          expect(told[0]).toContain(words)
          expect(yield* holders).toEqual(harmed)
          expect(yield* at.inside(examined(true))).toEqual(told)
          expect(yield* at.inside(examined(false))).toEqual([])
          expect(yield* actions(subject.split(" ")[2] ?? "")).toBe(action)
          if (isBack) expect(timeless(yield* holders)).toEqual(timeless(before))
        }
        expect((yield* holders).grants.map(({ key_id }) => key_id)).not.toContain(at.plain.key.id)
        yield* at.inside(addMember(at.bo.id, "member"))
        expect(yield* at.inside(examined(false))).toEqual([])
        yield* harm("delete from membership", [])
        yield* harm("delete from host_user where id = $1", [at.ada.id])
        const told = yield* at.inside(examined(true))
        expect(told).toHaveLength(2)
        expect(told.find((one) => one.includes(at.ada.id))).toContain("nor is the user")
        expect(yield* at.inside(examined(false))).toEqual([])
        expect(yield* actions(at.ada.id)).toBe("member.forget")
        expect((yield* holders).members.map(({ user_id }) => user_id)).toEqual([at.bo.id])
      })
    ))

  it("are not missed where the trail that tells of them came from elsewhere, only what was made since", () =>
    run(
      Effect.gen(function* () {
        const at = yield* seeded
        yield* harm("delete from api_key", [])
        yield* harm("delete from key_grant", [])
        yield* harm("delete from membership", [])
        const last = "(select max(seq) from audit where workspace_id = $1)"
        yield* harm(`update workspace set trail_from = ${last} where id = $2`, [at.workspace, at.workspace])
        expect(yield* at.inside(examined(false))).toEqual([])
        yield* at.inside(addMember(at.ada.id, "member"))
        const owner = { kind: "workspace", workspace: at.workspace } as const
        const { key } = yield* at.inside(
          mintAsHost({ name: "since", scopes: ["kb:read"], expiresAt: null, owner })
        )
        expect(yield* at.inside(examined(false))).toEqual([])
        yield* harm("delete from membership", [])
        yield* harm("delete from api_key", [])
        yield* harm("delete from key_grant", [])
        const told = yield* at.inside(examined(false))
        expect(told.map((one) => one.split(":")[0])).toEqual([
          `key_lost key ${key.id}`,
          `member_lost member ${at.ada.id}`
        ])
      })
    ))

  it("are not missed in a workspace from before anybody noted whether it was imported", () =>
    run(
      Effect.gen(function* () {
        const at = yield* seeded
        yield* harm("alter table workspace drop column trail_from", [])
        yield* noteTrailFrom
        yield* harm("delete from membership", [])
        yield* harm("delete from api_key", [])
        yield* harm("delete from key_grant", [])
        expect(yield* at.inside(examined(false))).toEqual([])
      })
    ))
})
