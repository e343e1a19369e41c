import { z } from "zod"
import { DocumentId, operation, ProposalId, pageLimit, pageOffset } from "../../platform/kernel/index.js"
import { ProposalStatus, ProposedChange, ProposedDocument } from "../documents/index.js"
import { ProposalNote } from "./model.js"
import * as service from "./service.js"

/** Newest first; pages of at most 200. */
export const listProposals = operation({
  name: "listProposals",
  summary: "List proposed documents, newest first.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    status: ProposalStatus.optional().describe("Only those of this status."),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: z.object({ items: z.array(ProposedDocument), total: z.int(), limit: z.int(), offset: z.int() }),
  faults: [],
  run: ({ limit, offset, status }) => service.listProposals(status, { limit, offset })
})

/** With the text that it replaces, so that a difference can be shown. */
export const getProposal = operation({
  name: "getProposal",
  summary: "Get a proposed document with the text that it replaces.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ id: ProposalId }),
  output: ProposedDocument.extend({
    base: z.string().nullable().describe("The text that it replaces; null for a new page.")
  }),
  faults: ["NotFound"],
  run: ({ id }) => service.getProposal(id)
})

/** What a member asks for where another member verified the document: its text, its path or its removal. */
export const proposeDocument = operation({
  name: "proposeDocument",
  summary: "Propose another text, another path or the removal of a document.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    docId: DocumentId,
    change: ProposedChange,
    content: z.string().optional().describe("The new text, for a write."),
    path: z.string().min(1).optional().describe("The new path, for a move."),
    expectVersion: z.int().min(1).optional().describe("409 when the document has another version."),
    note: ProposalNote.optional()
  }),
  output: ProposedDocument,
  faults: ["NotFound", "Conflict", "InvalidInput"],
  run: service.proposeDocument
})

/** Conflict when the path is taken or the page has another version than `baseVersion`; the proposal stays open. */
export const approveProposal = operation({
  name: "approveProposal",
  summary: "Approve a proposed document and write it into the vault.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: ProposalId, note: ProposalNote.optional() }),
  output: z.object({ proposal: ProposedDocument, docId: DocumentId, version: z.int() }),
  faults: ["NotFound", "NotOpen", "InvalidInput", "Conflict", "ReviewerRequired", "VaultUnavailable"],
  run: ({ id, note }) => service.approveProposal(id, note)
})

export const rejectProposal = operation({
  name: "rejectProposal",
  summary: "Reject a proposed document; nothing is written.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: ProposalId, note: ProposalNote.optional() }),
  output: ProposedDocument,
  faults: ["NotFound", "NotOpen"],
  run: ({ id, note }) => service.rejectProposal(id, note)
})

export const withdrawProposal = operation({
  name: "withdrawProposal",
  summary: "Withdraw a proposed document.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: ProposalId }),
  output: ProposedDocument,
  faults: ["NotFound", "NotOpen"],
  run: ({ id }) => service.withdrawProposal(id)
})
