import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type FetchedItem,
  type ItemAttachment,
  ItemGone,
  ItemUnreadable,
  type ListingFailure,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import type { ConvertedFile } from "../../../core/files/documents/index.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { attachmentNames } from "../item-path.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { mailRefusal, mailSession } from "./session.js"
import { type MailThread, mailThreads, withoutQuote } from "./threads.js"

/** Position of a crawl: in a mailbox, after a thread in the order of ids. */
const Position = z.object({ mailbox: z.int().min(0), after: z.string() })

/** Mail over IMAP: a document for each thread, with its attachments. */
export const imapMail = (options: CrawlerOptions) =>
  providerOf("imap", (target) =>
    Effect.gen(function* () {
      const { mailboxes = ["INBOX"], since, url } = target.config
      const refused = mailRefusal(url, options)
      if (refused !== null) return yield* new SourceRejected({ message: refused })
      const session = yield* mailSession(options, target)
      let last: { readonly mailbox: string; readonly threads: ReadonlyMap<string, MailThread> } | null = null
      /** The threads of a mailbox in the order of their ids; null when there is no such mailbox. */
      const threadsOf = (mailbox: string) =>
        Effect.map(session.headers(mailbox, since), (headers) => {
          if (headers === null) return null
          const threads = mailThreads(mailbox, headers)
          const sorted = [...threads].sort((a, b) => (a.externalId < b.externalId ? -1 : 1))
          last = { mailbox, threads: new Map(sorted.map((thread) => [thread.externalId, thread])) }
          return last.threads
        })

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const { after, mailbox } =
            checkpoint === null ? { mailbox: 0, after: "" } : yield* readCheckpoint(Position, checkpoint)
          const name = mailboxes[mailbox] ?? "INBOX"
          const threads = after !== "" && last?.mailbox === name ? last.threads : yield* threadsOf(name)
          const rest = [...(threads?.values() ?? [])].filter(({ externalId }) => externalId > after)
          const some = rest.slice(0, options.pageSize ?? 500)
          const isWhole = some.length === rest.length
          const isLast = isWhole && mailbox + 1 >= mailboxes.length
          const failures: ReadonlyArray<ListingFailure> =
            threads === null ? [{ externalId: name, message: "The account has no such mailbox." }] : []
          return {
            changes: some.map(({ externalId, path, version }) => ({
              op: "upsert" as const,
              externalId,
              version,
              path
            })),
            failures,
            checkpoint: isLast
              ? { mailbox: 0, after: "" }
              : isWhole
                ? { mailbox: mailbox + 1, after: "" }
                : { mailbox, after: some.at(-1)?.externalId ?? "" },
            isLast,
            total: mailboxes.length === 1 ? (threads?.size ?? null) : null
          } satisfies ChangePage
        })

      return {
        traits: { changes: "listing", deletions: "ids" } as const,
        check: session.check,
        changes,
        listIds: (position) => Effect.map(changes(position), idsOf),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const mailbox = [...mailboxes]
              .sort((a, b) => b.length - a.length)
              .find((name) => externalId.startsWith(`${name}/`))
            if (mailbox === undefined) return yield* new ItemGone({ externalId })
            const threads = last?.mailbox === mailbox ? last.threads : yield* threadsOf(mailbox)
            const thread = threads?.get(externalId)
            if (thread === undefined) return yield* new ItemGone({ externalId })
            const sources = yield* session.messages(
              mailbox,
              thread.messages.map(({ uid }) => uid)
            )
            const converted: Array<ConvertedFile> = []
            const warnings: Array<string> = []
            for (const { uid } of thread.messages) {
              const bytes = sources.get(uid)
              if (bytes === undefined) continue
              const result = yield* Effect.either(
                options.converter.convert({ name: "message.eml", mediaType: "message/rfc822", bytes })
              )
              if (result._tag === "Right") converted.push(result.right)
              else warnings.push(`A message was left out: ${result.left.message}`)
            }
            if (converted.length === 0)
              return yield* sources.size === 0
                ? new ItemGone({ externalId })
                : new ItemUnreadable({
                    externalId,
                    message: warnings[0] ?? "No message can be read.",
                    isPermanent: false
                  })
            return threadItem(thread, converted, warnings)
          })
      }
    })
  )

const threadItem = (
  { externalId, path, subject, version }: MailThread,
  messages: ReadonlyArray<ConvertedFile>,
  warnings: ReadonlyArray<string>
): FetchedItem => {
  const attached = messages.flatMap(({ attachments }) => attachments)
  const names = attachmentNames(attached.map(({ name }) => (/\.md$/i.test(name) ? name : `${name}.md`)))
  const attachments = attached.flatMap(
    ({ result }, at): ReadonlyArray<ItemAttachment> =>
      "converted" in result
        ? [{ name: names[at] ?? `${at}.md`, body: { markdown: result.converted.markdown }, url: null }]
        : []
  )
  const failed = attached.flatMap(({ name, result }) =>
    "failure" in result ? [`The attachment ${name} was left out: ${result.failure.message}`] : []
  )
  return {
    externalId,
    version,
    path,
    title: subject,
    url: null,
    author: messages[0]?.author ?? null,
    createdAt: messages[0]?.createdAt ?? null,
    modifiedAt: messages.at(-1)?.createdAt ?? null,
    labels: [],
    body: { markdown: `# ${subject}\n\n${messages.map(messageSection).join("\n\n")}\n` },
    attachments,
    warnings: [...warnings, ...failed]
  }
}

/** A message as a section with its sender and time; of the headers the addressees and attachments stay. */
const messageSection = ({ author, createdAt, markdown }: ConvertedFile, at: number): string => {
  const [, headers = "", text = ""] = /^# .*\n\n((?:- \*\*.*\n?)*)\n?([\s\S]*)$/.exec(markdown) ?? [
    "",
    "",
    markdown
  ]
  const shown = headers
    .split("\n")
    .filter((line) => /^- \*\*(?:To|Cc|Attachments):/.test(line))
    .join("\n")
  const sender = (author ?? "Unknown").replace(/ \(\S+@\S+\)$/, "")
  const moment = createdAt === null ? "" : `, ${createdAt.slice(0, 16).replace("T", " ")}`
  const body = at === 0 ? text.trimEnd() : withoutQuote(text)
  return [`## ${sender}${moment}`, shown, body].filter((part) => part !== "").join("\n\n")
}
