import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { eventsOf, isMoment, record } from "../audit/index.js"
import { GraphStore, type Relation } from "../graph/index.js"
import {
  atomically,
  Caller,
  type Examiner,
  Ids,
  momentOfId,
  now,
  type RelationId,
  traced
} from "../kernel/index.js"
import { orderOf } from "./check.js"
import type { ArchiveRecord } from "./model.js"
import { recordJudge } from "./reader.js"
import { type UnmadeRecord, WorkspaceArchive } from "./store.js"

/** The kinds of what may be wrong with what is kept once and made from nothing else. */
export const recordFindings = { record_impossible: "difference" } as const

/**
 * Reads everything as an export does and tells what no import would take: a word that there is not, a time that is
 * none, a name of what is not there. What is made from something else is put right by those who make it, and found
 * whole here afterwards; of the rest nobody else knows what it said.
 */
export const checkRecords = traced("transfer.check")(function* (
  examiner: Examiner<keyof typeof recordFindings>
) {
  const [archive, { sha256 }, { workspace }] = [yield* WorkspaceArchive, yield* Ids, yield* Caller]
  const judge = recordJudge(sha256)
  const untimed: Array<RelationId> = []
  let done = 0
  const look = (line: ArchiveRecord) =>
    Effect.gen(function* () {
      done += 1
      if (done % recordsPerTurn === 0) yield* examiner.progress(done, done)
      const problem = judge(line)
      if (problem === undefined) return
      yield* told(examiner, subjectOf(line), problem)
      if (examiner.repair && line.kind === "relation" && !isTimed(line)) untimed.push(line.id)
    })
  const unmade = ({ subject, why }: UnmadeRecord) =>
    told(examiner, subject, `The row is not what it should be: ${why}.`)
  yield* Stream.runForEach(archive.sound(workspace, unmade), look)
  for (const id of untimed) yield* mendMoments(id)
  for (const sentence of yield* archive.dangling(workspace)) yield* told(examiner, "references", sentence)
})

const isTimed = ({ createdAt, deletedAt }: Pick<Relation, "createdAt" | "deletedAt">): boolean =>
  isMoment(createdAt) && (deletedAt === null || isMoment(deletedAt))

/**
 * Gives a relation the moments that it had: the one of which its id was made, and that of its deletion by the trail,
 * else this one, since it is deleted by now.
 */
const mendMoments = (id: RelationId) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* GraphStore, yield* Caller]
      const found = Option.getOrNull(yield* store.findRelation(workspace, id))
      if (found === null || isTimed(found)) return
      const events = yield* eventsOf(id)
      const deleted = events.findLast(({ action }) => action === "relation.delete")?.at ?? (yield* now)
      const { createdAt, deletedAt } = found
      const mended = {
        ...found,
        createdAt: isMoment(createdAt) ? createdAt : (momentOfId(id) ?? events[0]?.at ?? createdAt),
        deletedAt: deletedAt === null || isMoment(deletedAt) ? deletedAt : deleted
      }
      if (!isTimed(mended)) return
      yield* store.saveRelation(workspace, mended)
      yield* record([{ action: "relation.repair", subjectId: id, details: { problems: ["moments"] } }])
    })
  )

const recordsPerTurn = 200

const told = (examiner: Examiner<keyof typeof recordFindings>, subject: string, problem: string) =>
  examiner.tell("record_impossible", {
    subject,
    message: `${problem} Where a repair does not help, put it right by hand, or take back an export or a copy of the data folder.`
  })

/** What a record is called: its kind, and what it is ordered by. */
export const subjectOf = (record: ArchiveRecord): string =>
  [record.kind, ...orderOf(record)].filter((part) => part !== "" && part !== 0).join(" ")
