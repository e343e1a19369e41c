import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { revisionFromRow, revisionToRow } from "../../../../adapters/sql/knowledge/entities/revision-rows.js"
import {
  Authority,
  ChangeKind,
  diffOf,
  diffOfFirst,
  type EntityRecord,
  Lifecycle,
  Origin,
  type Revision,
  snapshotOf
} from "../../../../core/knowledge/entities/index.js"
import { EntityId, nameNorm, WorkspaceId } from "../../../../core/platform/kernel/index.js"

const workspace = WorkspaceId.parse("ws_01m82eh4r5faq8azt4t352h740")
const id = EntityId.parse("ent_01m82ehefgfaq8bf1krzqz2p0q")
const moment = fc.constantFrom("2026-11-22T20:18:10.543Z", "2026-11-22T20:18:10.549Z")
const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: null })
const name = fc.oneof(fc.constantFrom("Kiln", "ÖLPUMPE", "İz", "ﬁne", ""), fc.string())

const entity: fc.Arbitrary<EntityRecord> = fc
  .record({
    name,
    type: fc.constantFrom("concept", "person"),
    origin: fc.constantFrom(...Origin.options),
    description: maybe(fc.string()),
    aliases: fc.array(name, { maxLength: 2 }),
    extractedAliases: fc.array(name, { maxLength: 2 }),
    authority: fc.constantFrom(...Authority.options),
    lifecycle: fc.constantFrom(...Lifecycle.options),
    ownerId: maybe(fc.string()),
    stewardIds: fc.array(fc.string(), { maxLength: 2 }),
    version: fc.constantFrom(1, 2, 9),
    lastReviewedAt: maybe(moment),
    nextReviewAt: maybe(moment),
    supersededBy: maybe(fc.constant(id)),
    editorialNote: fc.constantFrom("", "look again"),
    mergedIds: fc.array(fc.constant(id), { maxLength: 1 }),
    mergedInto: maybe(fc.constant(id)),
    deletedAt: maybe(moment),
    retired: fc.boolean(),
    createdAt: moment,
    updatedAt: moment
  })
  .map((told) => ({
    ...told,
    id,
    nameNorm: nameNorm(told.name),
    personFields: [],
    touched: false,
    claim: null
  }))

/** Arbitrary fields of an export: missing, of another type, or unknown to every version of this program. */
const strange = fc.dictionary(
  fc.oneof(fc.constantFrom("id", "name", "aliases", "version", "diff"), fc.string()),
  fc.oneof(fc.constant(null), fc.constant([]), fc.string(), fc.integer(), fc.constant([[]])),
  { noNullPrototype: true }
)
const change = fc.dictionary(fc.string(), fc.record({ from: fc.jsonValue(), to: fc.jsonValue() }), {
  noNullPrototype: true
})
const revisionOf = (snapshot: Revision["snapshot"], diff: Revision["diff"], version: number): Revision => ({
  version,
  changeKind: version === 1 ? "create" : "certify",
  snapshot,
  diff,
  activity: "ui",
  changedBy: "local",
  note: null,
  createdAt: "2026-11-22T20:18:10.549Z"
})
const rowOf = (revision: Revision) => revisionToRow(workspace, id, revision)
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("rows of revisions", () => {
  it("give back every revision as it was, whatever it says", () => {
    const snapshot = fc.oneof(
      entity.map((one) => ({ ...snapshotOf(one) })),
      fc.tuple(entity, strange).map(([one, more]) => ({ ...snapshotOf(one), ...more })),
      strange
    )
    fc.assert(
      fc.property(
        snapshot,
        fc.option(change, { nil: null }),
        fc.constantFrom(1, 2),
        fc.constantFrom(...ChangeKind.options),
        (shown, diff, version, changeKind) => {
          const told = { ...revisionOf(shown, diff ?? diffOfFirst(shown), version), changeKind }
          expect(json(revisionFromRow(rowOf(told)))).toEqual(json(told))
        }
      )
    )
  })

  it("tell what the first revision of an entity did from its snapshot alone", () => {
    fc.assert(
      fc.property(entity, (after) => {
        const shown = Object.entries(snapshotOf(after))
        const told = shown.filter(
          ([field, to]) => to !== null && !["version", "createdAt", "updatedAt"].includes(field)
        )
        const diff = Object.fromEntries(told.map(([field, to]) => [field, { from: null, to }]))
        expect(diffOf(null, after)).toEqual(diff)
        expect(diffOfFirst(snapshotOf(after))).toEqual(diff)
        expect(rowOf(revisionOf(snapshotOf(after), diffOf(null, after), 1)).diff).toBe(null)
      })
    )
  })

  it("say of an entity that extraction finds little more than its name", () => {
    const found = {
      id,
      name: "Kiln",
      type: "concept",
      nameNorm: "kiln",
      origin: "extraction",
      description: null,
      aliases: [],
      extractedAliases: [],
      authority: "machine_extracted",
      lifecycle: "published",
      ownerId: null,
      stewardIds: [],
      version: 1,
      lastReviewedAt: null,
      nextReviewAt: null,
      supersededBy: null,
      editorialNote: "",
      personFields: [],
      touched: false,
      claim: null,
      mergedIds: [],
      mergedInto: null,
      deletedAt: null,
      retired: false,
      createdAt: "2026-11-22T20:18:10.549Z",
      updatedAt: "2026-11-22T20:18:10.549Z"
    } satisfies EntityRecord
    const row = rowOf(revisionOf(snapshotOf(found), diffOf(null, found), 1))
    expect(row).toMatchObject({ snapshot: '[{"name":"Kiln"}]', diff: null })
  })
})
