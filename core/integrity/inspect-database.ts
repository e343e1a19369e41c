import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, type Examiner, Storage } from "../kernel/index.js"

/** The kinds of what may be wrong with the database itself, and with rows that no part could read or see. */
export const databaseFindings = {
  database_damaged: "difference",
  second_wall_down: "remark",
  vectors_in_process: "remark",
  row_unreadable: "difference",
  rows_astray: "difference"
} as const

type DatabaseExaminer = Examiner<keyof typeof databaseFindings | "record_impossible">

/** What the database itself complains of. Its indexes can be made again; a table that is damaged cannot. */
export const checkDatabase = (examiner: DatabaseExaminer) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const found = yield* storage.integrity
    for (const message of found) yield* examiner.tell("database_damaged", { subject: message, message: lost })
    if (examiner.repair && found.length > 0)
      yield* Effect.catchAllDefect(storage.rebuildIndexes, () => Effect.void)
    for (const { code, message } of yield* storage.remarks)
      yield* examiner.tell(code, { subject: "", message })
    yield* checkAstray(examiner)
    yield* checkReadable(examiner)
    for (const { subject, why } of yield* storage.impossibleHolders((yield* Caller).workspace))
      yield* examiner.tell("record_impossible", { subject, message: `${why} ${renew}` })
  })

const renew =
  "A repair puts back moments that are told elsewhere, and gives nobody anything: revoke the key and make another, add the member or set the credential again, calibrate again, or put the row right by hand."

/** Rows of workspaces that there are not, which nobody else sees: before the parts that would miss them. */
const checkAstray = (examiner: DatabaseExaminer) =>
  Effect.gen(function* () {
    const [storage, { workspace }] = [yield* Storage, yield* Caller]
    if ((yield* storage.astray).length === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const found = yield* storage.astray
        for (const { count, table, workspace: of } of found)
          yield* examiner.tell("rows_astray", { subject: `${table} of ${of}`, message: astray, count })
        if (!examiner.repair || found.length === 0) return
        yield* storage.bringHome(workspace)
        yield* record([
          { action: "workspace.repair", subjectId: workspace, details: { astray: found.slice(0, toldMax) } }
        ])
      })
    )
  })

const toldMax = 100

/** Rows that no part could read. What is kept elsewhere is emptied: the parts that follow put it back from there. */
const checkReadable = (examiner: DatabaseExaminer) =>
  Effect.gen(function* () {
    const [storage, { workspace }] = [yield* Storage, yield* Caller]
    const found = yield* storage.unreadable(workspace)
    for (const { advice, isKeptElsewhere, subject } of found)
      yield* examiner.tell("row_unreadable", {
        subject,
        message: isKeptElsewhere
          ? "the row holds what cannot be read"
          : `the row holds what cannot be read and is kept nowhere else; ${advice ?? takeBack}`
      })
    if (examiner.repair && found.length > 0) yield* atomically(storage.emptyUnreadable(workspace))
  })

/** What helps where nothing else does. */
export const takeBack =
  "take back an export or a copy of the data folder, or remove it and ingest the files anew"
const lost = `the database is damaged; where a repair does not help, ${takeBack}`
const astray =
  "rows of a workspace that there is not; a repair gives them to the one workspace of the database, where no other was ever in it and no row of its own stands in their place; of the rest, take back the row of their workspace from a copy"
