import type {
  BoundValue,
  ColumnInfo,
  ConnectorProbe,
  DataLimits,
  DataResult
} from "../../../core/livedata/index.js"

/** What the child process is asked; one thing at a time. */
export type SqliteRequest =
  | { readonly ask: "probe"; readonly path: string }
  | {
      readonly ask: "describe" | "run"
      readonly path: string
      readonly text: string
      readonly values: ReadonlyArray<BoundValue>
      readonly limits: DataLimits
      readonly functions: ReadonlyArray<string> | null
      readonly relations: ReadonlyArray<string> | null
      readonly guard: boolean
      readonly session: boolean
    }

/** What it answers. */
export type SqliteReply =
  | { readonly say: "ready" }
  | { readonly say: "probe"; readonly probe: ConnectorProbe }
  | { readonly say: "description"; readonly columns: ReadonlyArray<ColumnInfo>; readonly plan: string }
  | { readonly say: "result"; readonly result: DataResult }
  | { readonly say: "refused" | "failed" | "unreachable"; readonly message: string }
