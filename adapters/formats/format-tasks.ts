import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConversionFailed } from "../../core/files/documents/index.js"
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js"

/** Runs tasks in child processes with limits on time and memory. */
export class FormatTasks extends Context.Tag("kanon/FormatTasks")<
  FormatTasks,
  {
    readonly run: <Name extends TaskName>(
      name: Name,
      input: TaskInput<Name>
    ) => Effect.Effect<TaskOutput<Name>, ConversionFailed>
  }
>() {}
