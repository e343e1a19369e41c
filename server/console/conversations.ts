import { z } from "zod"
import { StructuredAnswer } from "../../core/answers/answering/index.js"
import {
  operation,
  pageLimit,
  pageOffset,
  scopes,
  Text,
  Timestamp
} from "../../core/platform/kernel/index.js"
import {
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation
} from "../../core/upkeep/overview/index.js"
import { type Row, row } from "../catalog/row.js"
import { AnswerItem } from "./answers.js"

// Conversations of the caller: their list, one with its turns, another title, and their end.

const Id = z.string().min(1).max(200)

const ConversationItem = z.object({
  id: Id,
  title: z.string(),
  questions: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp
})

const list = operation({
  name: "listConversations",
  summary: "List the caller's conversations, the last continued first.",
  scopes,
  effect: "read",
  input: z.object({ limit: pageLimit, offset: pageOffset }),
  output: z.object({ items: z.array(ConversationItem), total: z.int(), limit: z.int(), offset: z.int() }),
  faults: [],
  run: listConversations
})

const get = operation({
  name: "getConversation",
  summary: "Get a conversation of the caller with its questions and answers, oldest first.",
  scopes,
  effect: "read",
  input: z.object({ id: Id }),
  output: ConversationItem.extend({ turns: z.array(AnswerItem.extend({ answer: StructuredAnswer })) }),
  faults: ["NotFound"],
  run: ({ id }) => getConversation(id)
})

const rename = operation({
  name: "renameConversation",
  summary: "Rename a conversation of the caller.",
  scopes,
  effect: "idempotent",
  input: z.object({ id: Id, title: Text.trim().min(1).max(200) }),
  output: ConversationItem,
  faults: ["NotFound"],
  run: ({ id, title }) => renameConversation(id, title)
})

const remove = operation({
  name: "deleteConversation",
  summary: "Delete a conversation of the caller with its answers. The decision log keeps its entries.",
  scopes,
  effect: "idempotent",
  input: z.object({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: Id }),
  faults: ["NotFound"],
  run: ({ id }) => deleteConversation(id)
})

export const conversationRows: ReadonlyArray<Row> = [
  row(list, "GET", "/console/conversations"),
  row(get, "GET", "/console/conversations/{id}"),
  row(rename, "PATCH", "/console/conversations/{id}"),
  row(remove, "DELETE", "/console/conversations/{id}")
]
