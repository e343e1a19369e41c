import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import {
  Caller,
  DocumentId,
  InsufficientScope,
  mayCall,
  operation,
  runOperation
} from "../../core/platform/kernel/index.js"
import { forget, NewNote, Note, Remembered, recall, remember } from "../../core/upkeep/notes/index.js"
import { AddressOf } from "./addresses.js"
import type { Shown } from "./tools.js"

/** The name of the assistant that calls, as it tells it; null where it tells none. */
export class ClientName extends Context.Reference<ClientName>()("kanon/ClientName", {
  defaultValue: (): string | null => null
}) {}

/** What is remembered is compared with documents, which the result quotes. */
const readScopes = operations.getDocument.scopes

const rememberNote = operation({
  name: "remember",
  summary:
    'Note, write down or keep in mind a statement of the user, where the documents do not say it yet. Example: {"text": "The north gate closes at 18:00 in winter.", "about": "North gate"}.',
  scopes: operations.createDocument.scopes,
  effect: "write",
  input: NewNote,
  output: Remembered.extend({ url: z.string().nullable() }),
  faults: [
    "InvalidInput",
    "NotFound",
    "Conflict",
    "InsufficientScope",
    "NoModelConfigured",
    "VaultUnavailable"
  ],
  run: (note) =>
    Effect.gen(function* () {
      const { scopes } = yield* Caller
      if (!mayCall({ scopes: readScopes }, scopes))
        return yield* new InsufficientScope({ wanted: readScopes })
      const done = yield* remember(note, yield* ClientName)
      return { ...done, url: done.id === null ? null : (yield* AddressOf)({ id: done.id }) }
    })
})

const recallNotes = operation({
  name: "recall",
  summary:
    'Find notes that were written down with remember. Example: {"query": "when does the north gate close"}.',
  scopes: operations.search.scopes,
  effect: "read",
  input: z.object({ query: z.string().min(1).max(4000) }),
  output: z.object({ notes: z.array(Note.extend({ url: z.string() })) }),
  faults: ["InvalidInput", "NotFound"],
  run: ({ query }) =>
    Effect.gen(function* () {
      const [{ notes }, addressOf] = [yield* recall(query), yield* AddressOf]
      return { notes: notes.map((note) => ({ ...note, url: addressOf({ id: note.id }) })) }
    })
})

const forgetNote = operation({
  name: "forget",
  summary: 'Move a note that recall found to the trash. Example: {"id": "doc_01hx0000000000000000000000"}.',
  scopes: operations.deleteDocument.scopes,
  effect: "write",
  input: z.object({ id: DocumentId }),
  output: operations.deleteDocument.output,
  faults: ["NotFound", "Conflict", "ReviewerRequired", "VaultUnavailable"],
  run: ({ id }) => forget(id)
})

/** Tools for what a person tells an assistant and wants to find again. */
export const noteTools: ReadonlyArray<Shown> = [
  {
    operation: rememberNote,
    run: (input) => runOperation(rememberNote, input),
    tool: { name: "remember", destructive: false }
  },
  {
    operation: recallNotes,
    run: (input) => runOperation(recallNotes, input),
    tool: { name: "recall", destructive: false }
  },
  {
    operation: forgetNote,
    run: (input) => runOperation(forgetNote, input),
    tool: { name: "forget", destructive: true }
  }
]
