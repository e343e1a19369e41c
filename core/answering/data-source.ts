import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { EvidenceData } from "../evidence/index.js"
import type { AnswerId, Caller, WorkspaceScope } from "../kernel/index.js"
import type { GatheredEvidence } from "./evidence-source.js"

/** Rows of the bindings of what a question names. */
export interface GatheredData {
  readonly data: ReadonlyArray<EvidenceData>
  /** Executions that gave no rows: refused, failed or out of time. */
  readonly failed: number
}

export const noData: GatheredData = { data: [], failed: 0 }

/** Runs the data bindings of entities in a question; by default there are none. Wired where the engine is put together. */
export class DataSource extends Context.Reference<DataSource>()("kanon/DataSource", {
  defaultValue: () => ({
    /** At most three executions, in parallel, under one deadline. Never fails: what gave no rows is counted. */
    gather: (
      _workspace: WorkspaceScope,
      _question: string,
      _gathered: GatheredEvidence
    ): Effect.Effect<GatheredData, never, Caller> => Effect.succeed(noData),
    /** Notes that rows were read for an answer, in the unit of work that keeps it. */
    link: (
      _workspace: WorkspaceScope,
      _dataCallIds: ReadonlyArray<string>,
      _answer: AnswerId
    ): Effect.Effect<void> => Effect.void
  })
}) {}
