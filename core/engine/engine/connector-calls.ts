import { type NewSync, startSync, type UploadedFile } from "../../connected/sources/index.js"
import { operations } from "../../operations.js"
import { ContentConnectorId, NotFound } from "../../platform/kernel/index.js"
import type { Call, InputOf, OptionsOf, Run } from "./calls.js"

/** The calls of the embedded engine that are about content connectors. */
export const connectorCalls = (call: Call, run: Run) => ({
  connectors: {
    list: (filter: InputOf<typeof operations.listContentConnectors> = {}) =>
      call(operations.listContentConnectors, filter),
    /** A connector with its newest sync runs, 20 by default. */
    get: (id: string, options: { readonly limit?: number } = {}) =>
      call(operations.getContentConnector, { ...options, id }),
    create: (input: InputOf<typeof operations.createContentConnector>) =>
      call(operations.createContentConnector, input),
    update: (id: string, change: OptionsOf<typeof operations.updateContentConnector, "id">) =>
      call(operations.updateContentConnector, { ...change, id }),
    /** Documents are kept, unless `documents` is `trash`. */
    remove: (id: string, options: { readonly documents?: "keep" | "trash" } = {}) =>
      call(operations.deleteContentConnector, { ...options, id }),
    /** Starts a sync, which a worker carries out. */
    sync: (id: string, options: OptionsOf<typeof operations.syncContentConnector, "id"> = {}) =>
      call(operations.syncContentConnector, { ...options, id }),
    /** Starts a sync of a `markdown_upload` connector with any number of files; a zip file is unpacked. */
    upload: (
      id: string,
      files: ReadonlyArray<UploadedFile>,
      options: Partial<Omit<NewSync, "files">> = {}
    ) => {
      const { data: connector } = ContentConnectorId.safeParse(id)
      return run(
        connector === undefined
          ? new NotFound({ what: "connector" })
          : startSync(connector, {
              mode: "incremental",
              dryRun: false,
              allowRemovals: false,
              onConflict: null,
              ...options,
              files
            })
      )
    }
  }
})

/** The calls of the embedded engine that are about content connectors. */
export type ConnectorCalls = ReturnType<typeof connectorCalls>
