import * as Effect from "effect/Effect"
import { z } from "zod"
import { ProposedDocument } from "../../files/documents/index.js"
import { EntityId, invalid, operation, Text } from "../../platform/kernel/index.js"
import { compileTopic as compile } from "./compile.js"

/** See `compileTopic`: a topic or an entity is needed; nothing is written before a person approves. */
export const compileTopic = operation({
  name: "compileTopic",
  summary: "Propose a page that is compiled about a topic or an entity.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    topic: Text.trim().min(1).max(200).optional().describe("What the page is about, in words."),
    entityId: EntityId.optional().describe("The entity that the page is about."),
    path: z.string().optional().describe("Where the page is to be; a file in topics/ by default."),
    note: Text.trim().min(1).max(4000).optional().describe("Why it is proposed.")
  }),
  output: ProposedDocument,
  faults: ["InvalidInput", "NotFound", "NotOpen"],
  run: (input) =>
    input.topic === undefined && input.entityId === undefined
      ? Effect.fail(invalid(["topic"], "missing", "A topic or an entity is needed."))
      : compile(input)
})
