import type { Effect } from "effect/Effect"
import type { z } from "zod"
import { type Caller, ContentConnectorId, type Fault, NotFound } from "../kernel/index.js"
import { operations } from "../operations.js"
import type { Ports } from "../ports.js"
import {
  type NewSync,
  type SyncStarted,
  type sourcesOperations,
  startSync,
  type UploadedFile
} from "../sources/index.js"
import type { Wired } from "../wiring.js"
import type { Call } from "./calls.js"

type Output<Name extends keyof typeof sourcesOperations> = Promise<
  z.input<(typeof sourcesOperations)[Name]["output"]>
>

/** The calls of the embedded engine that are about content connectors. */
export interface ConnectorCalls {
  readonly connectors: {
    readonly list: (
      filter?: z.input<typeof operations.listContentConnectors.input>
    ) => Output<"listContentConnectors">
    /** A connector with its newest sync runs, 20 by default. */
    readonly get: (id: string, options?: { readonly limit?: number }) => Output<"getContentConnector">
    readonly create: (
      input: z.input<typeof operations.createContentConnector.input>
    ) => Output<"createContentConnector">
    readonly update: (
      id: string,
      change: Omit<z.input<typeof operations.updateContentConnector.input>, "id">
    ) => Output<"updateContentConnector">
    /** Documents are kept, unless `documents` is `trash`. */
    readonly remove: (
      id: string,
      options?: { readonly documents?: "keep" | "trash" }
    ) => Output<"deleteContentConnector">
    /** Starts a sync, which a worker carries out. */
    readonly sync: (
      id: string,
      options?: Omit<z.input<typeof operations.syncContentConnector.input>, "id">
    ) => Output<"syncContentConnector">
    /** Starts a sync of a `markdown_upload` connector with any number of files; a zip file is unpacked. */
    readonly upload: (
      id: string,
      files: ReadonlyArray<UploadedFile>,
      options?: Partial<Omit<NewSync, "files">>
    ) => Promise<SyncStarted>
  }
}

export const connectorCalls = (
  call: Call,
  run: <A>(effect: Effect<A, Fault, Ports | Wired | Caller>) => Promise<A>
): ConnectorCalls => ({
  connectors: {
    list: (filter = {}) => call(operations.listContentConnectors, filter),
    get: (id, options = {}) => call(operations.getContentConnector, { ...options, id }),
    create: (input) => call(operations.createContentConnector, input),
    update: (id, change) => call(operations.updateContentConnector, { ...change, id }),
    remove: (id, options = {}) => call(operations.deleteContentConnector, { ...options, id }),
    sync: (id, options = {}) => call(operations.syncContentConnector, { ...options, id }),
    upload: (id, files, options = {}) => {
      const read = ContentConnectorId.safeParse(id)
      return run(
        read.success
          ? startSync(read.data, {
              mode: "incremental",
              dryRun: false,
              allowRemovals: false,
              onConflict: null,
              ...options,
              files
            })
          : new NotFound({ what: "connector" })
      )
    }
  }
})
