import { createTwoFilesPatch } from "diff"
import type { ProposedDocument } from "../../core/files/documents/index.js"
import { operations } from "../../core/operations.js"
import { group, operationCommand } from "./command.js"
import { dayOf, tableOf } from "./tables.js"
import { paint } from "./terminal.js"
import { clean, cleanLine, counted } from "./text.js"

const id = { description: "Id of the proposed document (prp_…)." }

export const compileCommand = operationCommand("compile", operations.compileTopic, {
  description: "Compile a page about a topic from the documents and propose it.",
  arguments: { topic: { description: "What the page is about: the name of an entity, or words." } },
  flags: {
    entityId: { name: "entity", placeholder: "ID" },
    path: { placeholder: "PATH" },
    note: { placeholder: "TEXT" }
  },
  acting: true,
  print: (proposal) =>
    [
      `${paint.green("Proposed")} ${cleanLine(proposal.path)} ${paint.dim(proposal.id)}`,
      `  ${counted(proposal.sources.length, "source")}${droppedIn(proposal)}`,
      paint.dim(`  kanon proposals show ${proposal.id}`),
      paint.dim(`  kanon proposals approve ${proposal.id}`)
    ].join("\n")
})

const droppedIn = ({ dropped }: Pick<ProposedDocument, "dropped">): string =>
  dropped === 0
    ? ""
    : `, ${counted(dropped, "unsupported sentence was", "unsupported sentences were")} left out`

const list = operationCommand("list", operations.listProposals, {
  description: "List proposed documents, newest first.",
  print: ({ items }, { status }) =>
    items.length === 0
      ? `No ${status === undefined ? "" : `${status} `}proposals.`
      : tableOf(
          items,
          [
            "title",
            "path",
            "status",
            ["proposed", ({ createdAt }) => dayOf(createdAt)],
            ["by", "proposedBy"],
            "id"
          ],
          { shrink: ["title", "path", "by"] }
        )
})

const show = operationCommand("show", operations.getProposal, {
  description: "Show a proposed document as a difference to the text that it replaces.",
  arguments: { id },
  print: (proposal) =>
    [
      `${paint.bold(cleanLine(proposal.title))} ${paint.dim(`${proposal.id} ${proposal.status}`)}`,
      ...(proposal.note === null ? [] : [cleanLine(proposal.note)]),
      `${counted(proposal.sources.length, "source")}${droppedIn(proposal)}`,
      "",
      differenceOf(proposal)
    ].join("\n")
})

const differenceOf = ({
  base,
  change,
  content,
  path
}: Pick<ProposedDocument, "change" | "content" | "path"> & { readonly base: string | null }): string => {
  if (change === "move") return `Moves to ${cleanLine(path)}.`
  return change === "delete" ? "Goes to the trash." : patchOf(path, base ?? "", content)
}

const patchOf = (path: string, before: string, after: string): string =>
  createTwoFilesPatch(path, path, before, after, "", "", { context: 3 })
    .split("\n")
    .slice(1)
    .map((line) => {
      const shown = clean(line)
      return line.startsWith("+") ? paint.green(shown) : line.startsWith("-") ? paint.red(shown) : shown
    })
    .join("\n")
    .trimEnd()

const doneBy = { write: "Wrote", move: "Moved to", delete: "Deleted" } as const

const approve = operationCommand("approve", operations.approveProposal, {
  description: "Approve a proposed document and write it into the vault.",
  arguments: { id },
  acting: true,
  print: ({ docId, proposal, version }) =>
    `${paint.green(doneBy[proposal.change])} ${cleanLine(proposal.path)}, version ${version} ${paint.dim(docId)}`
})

const reject = operationCommand("reject", operations.rejectProposal, {
  description: "Reject a proposed document; nothing is written.",
  arguments: { id },
  acting: true,
  print: (proposal) => `${proposal.id} is ${proposal.status}.`
})

const withdraw = operationCommand("withdraw", operations.withdrawProposal, {
  description: "Withdraw a proposed document.",
  arguments: { id },
  acting: true,
  print: (proposal) => `${proposal.id} is ${proposal.status}.`
})

export const proposalCommands = group(
  "proposals",
  "Pages that wait for a person to approve them.",
  [list, show, approve, reject, withdraw],
  "list"
)
