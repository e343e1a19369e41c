import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import { z } from "zod"
import {
  ContentConnectorId,
  DeleteAck,
  invalid,
  millisOf,
  operation,
  Text,
  timestampOf
} from "../../platform/kernel/index.js"
import * as connectors from "./connectors.js"
import type { UploadedFile } from "./crawler.js"
import {
  ContentConnector,
  ContentConnectorDetail,
  ContentConnectorKind,
  OnConflict,
  SyncMode,
  SyncStarted,
  UploadFile
} from "./model.js"
import { startSync } from "./syncs.js"

const ConnectorName = Text.trim().min(1).max(200)
const Credential = z.string().min(1).max(4096).describe("The password, token or secret key. Write-only.")
const Config = z
  .record(z.string(), z.unknown())
  .describe("`provider`, and the fields of that provider, such as `url`.")
const Schedule = Text.trim()
  .min(1)
  .max(200)
  .nullable()
  .describe("Cron expression with five fields, in UTC, such as `0 3 * * *`; null for none.")

/** By name; credentials are never shown. */
const listContentConnectors = operation({
  name: "listContentConnectors",
  summary: "List the content connectors with their last syncs.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({
    kind: ContentConnectorKind.optional().describe("Only connectors of this kind."),
    enabled: z.boolean().optional().describe("Only enabled connectors, or only disabled ones.")
  }),
  output: z.object({ items: z.array(ContentConnector), total: z.int() }),
  faults: [],
  run: (filter) => Effect.map(connectors.listConnectors(filter), (items) => ({ items, total: items.length }))
})

/** See `createConnector`. */
const createContentConnector = operation({
  name: "createContentConnector",
  summary: "Create a connector to a wiki, a document library, a chat or uploads.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    name: ConnectorName,
    kind: ContentConnectorKind,
    config: Config.optional(),
    credential: Credential.optional(),
    schedule: Schedule.optional(),
    pathPrefix: Text.trim()
      .min(1)
      .max(500)
      .optional()
      .describe("The folder of its documents; by default made from the name. It cannot be changed.")
  }),
  output: ContentConnector,
  faults: ["InvalidInput", "Conflict", "SecretsUnavailable"],
  run: (input) => connectors.createConnector(input)
})

/** See `getConnector`. */
const getContentConnector = operation({
  name: "getContentConnector",
  summary: "Get a content connector with its sync runs, newest first.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({
    id: ContentConnectorId,
    limit: z.int().min(1).max(200).default(20).describe("Most sync runs.")
  }),
  output: ContentConnectorDetail,
  faults: ["NotFound"],
  run: ({ id, limit }) => connectors.getConnector(id, limit)
})

/** See `updateConnector`. */
const updateContentConnector = operation({
  name: "updateContentConnector",
  summary: "Update a content connector; disabling it cancels its running sync.",
  scopes: ["kb:write"],
  effect: "write",
  input: z
    .object({
      id: ContentConnectorId,
      name: ConnectorName.optional(),
      config: Config.optional(),
      credential: Credential.nullable()
        .optional()
        .describe(
          "Write-only; null erases it. It is erased too when it would be sent elsewhere: to another server or account."
        ),
      schedule: Schedule.optional(),
      enabled: z.boolean().optional()
    })
    .superRefine(({ id: _, ...change }, context) => {
      if (Object.values(change).every((value) => value === undefined))
        context.addIssue({ code: "custom", path: [], message: "Give at least one thing to change." })
    }),
  output: ContentConnector,
  faults: ["NotFound", "InvalidInput", "Conflict", "SecretsUnavailable"],
  run: ({ id, ...change }) => connectors.updateConnector(id, change)
})

/** See `deleteConnector`. */
const deleteContentConnector = operation({
  name: "deleteContentConnector",
  summary: "Delete a content connector with its credential, and keep or trash its documents.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    id: ContentConnectorId,
    documents: z.enum(["keep", "trash"]).default("keep").describe("What happens to its documents.")
  }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict"],
  run: ({ documents, id }) => connectors.deleteConnector(id, documents)
})

/** See `startSync`. */
const syncContentConnector = operation({
  name: "syncContentConnector",
  summary: "Start a sync, or return the one that is queued or running.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    id: ContentConnectorId,
    mode: SyncMode.default("incremental"),
    dryRun: z.boolean().default(false).describe("Only tells what would change."),
    allowRemovals: z
      .boolean()
      .default(false)
      .describe(
        "Removes documents even when the source names nothing any more, or more than a fifth are gone."
      ),
    onConflict: OnConflict.optional().describe(
      "Settles documents that were edited here and at the source: `keep` the text here, or take that of the `source`. By default the run tells them."
    ),
    files: z
      .array(UploadFile)
      .min(1)
      .max(200)
      .optional()
      .describe("Only for markdown_upload, and needed there. With mode full these are all files there are.")
  }),
  output: SyncStarted,
  faults: ["NotFound", "InvalidInput", "ConnectorDisabled"],
  run: ({ allowRemovals, dryRun, files, id, mode, onConflict }) =>
    Effect.flatMap(files === undefined ? Effect.succeed(null) : uploadOf(files), (upload) =>
      startSync(id, { allowRemovals, dryRun, mode, onConflict: onConflict ?? null, files: upload })
    )
})

/** Decodes the files of an upload. */
const uploadOf = (files: ReadonlyArray<z.output<typeof UploadFile>>) =>
  Effect.forEach(files, ({ author, content, encoding, modifiedAt, path, url }, place) =>
    Effect.map(
      bytesOf(content, encoding, place),
      (bytes): UploadedFile => ({
        path,
        bytes,
        url: url ?? null,
        author: author ?? null,
        modifiedAt: modifiedAt == null ? null : timestampOf(millisOf(modifiedAt))
      })
    )
  )

const bytesOf = (content: string | null, encoding: "utf8" | "base64", place: number) => {
  if (content === null) return Effect.succeed(null)
  if (encoding === "utf8") return Effect.succeed(new TextEncoder().encode(content))
  return Effect.mapError(Encoding.decodeBase64(content), () =>
    invalid(["files", place, "content"], "invalid_base64", "The content is not base64.")
  )
}

/** Public operations of this room. */
export const sourcesOperations = {
  listContentConnectors,
  createContentConnector,
  getContentConnector,
  updateContentConnector,
  deleteContentConnector,
  syncContentConnector
}
