import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { sqlitePorts } from "../../adapters/sqlite/index.js"
import { inDatabase } from "../../adapters/vault/vault-address.js"
import { wiring } from "../../core/engine/engine/index.js"
import { documentOperations } from "../../core/files/documents/index.js"
import { runOperation } from "../../core/platform/kernel/index.js"

/** All services of an engine over SQLite in memory, which keeps the files too; without log and worker. */
export const makeQuestionWorld = () =>
  ManagedRuntime.make(
    Layer.merge(
      Layer.provideMerge(wiring, sqlitePorts({ vault: inDatabase, data: ":memory:", thread: false })),
      Logger.minimumLogLevel(LogLevel.None)
    )
  )

/** A document of a test. */
export interface TestDocument {
  readonly title: string
  readonly path: string
  readonly text: string
}

/** Creates documents of one passage each, unless their texts are long; their titles are in no heading. */
export const createDocuments = (documents: ReadonlyArray<TestDocument>) =>
  Effect.forEach(documents, ({ path, text, title }) =>
    runOperation(documentOperations.createDocument, {
      path,
      content: `---\ntitle: ${JSON.stringify(title)}\n---\n\n${text}`
    })
  )
