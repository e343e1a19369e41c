import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import type { DocumentVersionPage } from "../../core/files/documents/index.js"
import { operations } from "../../core/operations.js"
import type { AccessExplanation } from "../../core/platform/access/index.js"
import { DocumentId } from "../../core/platform/kernel/index.js"
import type { DocumentLineage } from "../../core/upkeep/overview/index.js"
import { command, group, operationCommand } from "./command.js"
import { wrongUsage } from "./failure.js"
import { switchFlag } from "./flags.js"
import { call, withWorkspace } from "./session.js"
import { dayOf, factLines, listing, listOf, tableOf, timeOf, wordsOf } from "./tables.js"
import { paint } from "./terminal.js"
import { clean, cleanLine, counted } from "./text.js"

/** The document with an id, or at a path of the vault. */
const findDocument = (engine: Engine, idOrPath: string) =>
  call(() =>
    DocumentId.safeParse(idOrPath).success
      ? engine.documents.get(idOrPath)
      : engine.documents.getByPath(idOrPath)
  )

const document = {
  name: "id-or-path",
  description: "Id of the document (doc_…) or its path in the vault.",
  resolve: (engine: Engine, idOrPath: string) => Effect.map(findDocument(engine, idOrPath), ({ id }) => id)
}
const pathOf = (engine: Engine, id: string) =>
  Effect.map(findDocument(engine, id), ({ path }) => cleanLine(path))

const list = operationCommand("list", operations.listDocuments, {
  description: "List documents in path order.",
  print: (page) =>
    listOf(
      "document",
      page.items,
      page,
      ["path", "title", "version", ["updated", ({ updatedAt }) => dayOf(updatedAt)], "id"],
      { shrink: ["path", "title"], right: ["version"] }
    )
})

const show = operationCommand("show", operations.getDocument, {
  description: "Show one document with its text.",
  arguments: { id: document },
  flags: { asOf: { placeholder: "DAY" } },
  print: ({ asOf, content, id, missing, path, title, updatedAt, version }) =>
    [
      paint.bold(cleanLine(title)),
      paint.dim(
        `${cleanLine(path)} · ${id} · version ${version} · ${dayOf(updatedAt)}${asOf === undefined ? "" : ` · as of ${asOf}`}`
      ),
      "",
      missing
        ? paint.yellow(
            asOf === undefined
              ? "The file cannot be read."
              : "Retention has removed the text of that version."
          )
        : clean(content).trimEnd()
    ].join("\n")
})

const versions = operationCommand("versions", operations.listDocumentVersions, {
  description: "List the versions of a document's text, or show one of them.",
  arguments: { id: document },
  flags: { version: { name: "number", description: "Show the text of this version" } },
  print: (page, { offset }) => {
    const [one] = page.items
    return one?.content === undefined
      ? listing(versionTable(page.items), { ...page, offset }, page.items.length, "version")
      : clean(one.content).trimEnd()
  }
})

const versionTable = (items: DocumentVersionPage["items"]): string =>
  tableOf(
    items,
    [
      "version",
      ["created", ({ createdAt }) => dayOf(createdAt)],
      "origin",
      ["by", "changedBy"],
      ["bytes", "size"],
      "verification"
    ],
    { shrink: ["by"], right: ["version", "bytes"] }
  )

const move = operationCommand("move", operations.moveDocument, {
  description: "Give a document another path; links still lead to it.",
  arguments: { id: document, path: { description: "Its new path in the vault." } },
  flags: { rewriteLinks: { description: "Leave links as they are, including those that break." } },
  run: function* ({ engine, input, perform }) {
    const path = yield* pathOf(engine, input.id)
    const output = yield* perform
    const count = output.rewritten.length
    const text = () =>
      [
        `${paint.green("Moved")} ${path} to ${cleanLine(output.path)}`,
        ...(count === 0 ? [] : [paint.dim(`Links were rewritten in ${counted(count, "document")}.`)])
      ].join("\n")
    return { output, text }
  }
})

const remove = operationCommand("rm", operations.deleteDocument, {
  description: "Move a document and its file to the trash.",
  arguments: { id: document },
  run: function* ({ engine, input, perform }) {
    const path = yield* pathOf(engine, input.id)
    const output = yield* perform
    const text = () =>
      [
        `${paint.yellow("Removed")} ${path}; its file is in the trash.`,
        paint.dim(`To restore it: kanon documents restore ${input.id}`)
      ].join("\n")
    return { output, text }
  }
})

const restore = operationCommand("restore", operations.restoreDocument, {
  description: "Restore a document from the trash.",
  arguments: { id: { description: "Id of the document (doc_…)." } },
  omit: ["path"],
  print: ({ path }) => `${paint.green("Restored")} ${cleanLine(path)}`
})

const verify = operationCommand("verify", operations.verifyDocument, {
  description: "Set the verification status of a document.",
  arguments: {
    id: document,
    verification: { description: "unverified, verified, certified or deprecated." }
  },
  acting: true,
  run: function* ({ engine, input, perform }) {
    const path = yield* pathOf(engine, input.id)
    const output = yield* perform
    const until = output.nextVerifyAt === null ? "" : `, until ${dayOf(output.nextVerifyAt)}`
    return { output, text: () => `${paint.green(path)} is ${output.verification}${until}.` }
  }
})

const accessForm = z.object({
  id: z.string(),
  read: z.array(z.string()).optional(),
  everybody: switchFlag("Let everybody in the workspace read it, whatever its folder says."),
  inherit: switchFlag("Remove its own list: its folder and its source say who reads it.")
})

const access = command("access", {
  description: "Show or set who may read a document.",
  input: accessForm,
  arguments: {
    id: { name: "id-or-path", description: "Id of the document (doc_…) or its path in the vault." }
  },
  flags: {
    read: { placeholder: "PRINCIPAL", description: "Let user:ID or group:NAME read it; repeatable." }
  },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const { everybody, inherit, read } = input
      if ([read !== undefined, everybody, inherit].filter((given) => given).length > 1)
        return yield* wrongUsage("Give one of --read, --everybody and --inherit.")
      const { id, path } = yield* findDocument(engine, input.id)
      if (read !== undefined || everybody || inherit)
        yield* call(() =>
          engine.call(operations.setDocumentAccess, {
            id,
            ...(inherit ? {} : { read: everybody ? null : read })
          })
        )
      const output = yield* call(() => engine.call(operations.getDocumentAccess, { id }))
      return { output: { id, ...output }, text: () => accessLines(cleanLine(path), output).join("\n") }
    })
})

const readersOf = (read: ReadonlyArray<string>): string =>
  read.length === 0 ? "nobody" : read.map(cleanLine).join(", ")

const accessLines = (path: string, { access: shown, folder, own, source }: AccessExplanation) => [
  `${paint.bold(path)} is for ${shown === null ? "everybody in the workspace" : readersOf(shown.read)}.`,
  ...factLines([
    ["own list", own === null ? null : own.read === null ? "everybody" : readersOf(own.read)],
    ["source", source === null ? null : readersOf(source)],
    ["folder", folder === null ? null : `${cleanLine(folder.path)}: ${readersOf(folder.read)}`]
  ])
]

const lineage = operationCommand("lineage", operations.getDocumentLineage, {
  description: "Show the origin of a document, its verification, and what depends on it.",
  arguments: { id: document },
  run: function* ({ engine, input, perform }) {
    const path = yield* pathOf(engine, input.id)
    const output = yield* perform
    return { output, text: () => [paint.bold(path), ...lineageLines(output)].join("\n") }
  }
})

const [conceptsShown, eventsShown] = [10, 10]

const lineageLines = ({ audit, derived, downstream, governance, origin }: DocumentLineage) => {
  const verification = [
    governance.verification,
    governance.verifiedBy === null ? "" : `by ${cleanLine(governance.verifiedBy)}`,
    governance.verifiedAt === null ? "" : `on ${dayOf(governance.verifiedAt)}`,
    governance.nextVerifyAt === null ? "" : `until ${dayOf(governance.nextVerifyAt)}`,
    governance.reviewDue ? "(due)" : ""
  ]
  const concepts = derived.concepts.slice(0, conceptsShown)
  const events = audit.slice(0, eventsShown)
  return [
    ...factLines([
      ["origin", origin.kind],
      ["source", origin.source],
      ["last sync", timeOf(origin.lastSyncAt)],
      ["failure", origin.failure],
      ...origin.warnings.map((warning) => ["warning", warning] as const),
      ["verification", verification.filter((word) => word !== "").join(" ")],
      ["passages", derived.chunkCount],
      ["concepts", derived.concepts.length],
      ["relations", derived.relationCount],
      ["cited by", counted(downstream.answerCount, "answer")],
      ["evidence for", counted(downstream.groundedEntityCount, "entity", "entities")]
    ]),
    ...titled("Concepts", concepts, [
      "name",
      "type",
      ["authority", ({ authority }) => wordsOf(authority)],
      ["life cycle", ({ lifecycleStatus }) => wordsOf(lifecycleStatus)],
      ["mentions", "mentionCount"]
    ]),
    ...(derived.concepts.length > conceptsShown
      ? [paint.dim(`and ${derived.concepts.length - conceptsShown} more; --json lists all`)]
      : []),
    ...titled("Events", events, ["action", ["by", "actor"], ["time", ({ at }) => timeOf(at)]])
  ]
}

const titled = <Item>(
  title: string,
  items: ReadonlyArray<Item>,
  columns: Parameters<typeof tableOf<Item>>[1]
): ReadonlyArray<string> =>
  items.length === 0
    ? []
    : [
        "",
        paint.bold(title),
        tableOf(items, columns, { shrink: ["name", "type", "by"], right: ["mentions"] })
      ]

export const documentCommands = group("documents", "The documents of the vault.", [
  list,
  show,
  versions,
  move,
  remove,
  restore,
  verify,
  lineage,
  access
])
