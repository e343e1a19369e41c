import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Caller, Ids, type Inspector, restoreAdvice, traced } from "../../platform/kernel/index.js"
import { orderOf } from "./check.js"
import type { ArchiveRecord } from "./model.js"
import { recordJudge } from "./reader.js"
import { WorkspaceArchive } from "./store.js"

/** Kinds of findings about primary data. */
export const recordFindings = { record_impossible: "difference" } as const

const recordsPerTurn = 200

/**
 * Reads all primary data as an export does and reports every record that an import would refuse: rows that cannot be
 * parsed, hashes that do not match, references to missing rows. None of it can be rebuilt.
 */
export const inspectRecords = traced("transfer.inspect")(function* (
  inspector: Inspector<keyof typeof recordFindings>
) {
  const [archive, { sha256 }, { workspace }] = [yield* WorkspaceArchive, yield* Ids, yield* Caller]
  const problemIn = recordJudge(sha256)
  const report = (subject: string, problem: string) =>
    inspector.report("record_impossible", { subject, message: `${problem} ${restoreAdvice}` })
  let done = 0
  const inspectRecord = (record: ArchiveRecord) =>
    Effect.gen(function* () {
      done += 1
      if (done % recordsPerTurn === 0) yield* inspector.progress(done, done)
      const problem = problemIn(record)
      if (problem !== undefined) yield* report(subjectOf(record), problem)
    })
  const records = archive.sound(workspace, ({ subject, why }) =>
    report(subject, `The row cannot be parsed: ${why}.`)
  )
  yield* Stream.runForEach(records, inspectRecord)
  for (const problem of yield* archive.dangling(workspace)) yield* report("references", problem)
})

/** Names a record by its kind and keys. */
export const subjectOf = (record: ArchiveRecord): string =>
  [record.kind, ...orderOf(record)].filter((part) => part !== "" && part !== 0).join(" ")
