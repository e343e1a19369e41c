import * as Effect from "effect/Effect"
import {
  type FetchedItem,
  type ItemChange,
  ItemGone,
  type ItemReaders
} from "../../../core/connected/sources/index.js"
import { pathSegment, versionOf } from "../item-path.js"
import { readersBy } from "../item-readers.js"

/** A message that people wrote. */
export interface ChatMessage {
  /** Unique within the channel, and in the order of time. */
  readonly id: string
  /** The message that it replies to; null when it begins a thread. */
  readonly thread: string | null
  /** ISO 8601 in UTC. */
  readonly at: string
  /** The display name. */
  readonly author: string
  readonly markdown: string
  readonly isEdited: boolean
  readonly files: ReadonlyArray<string>
}

/** A channel with its messages, in any order. */
export interface ChatChannel {
  readonly id: string
  /** Folders of its documents, the name of the channel last. */
  readonly names: ReadonlyArray<string>
  /** Whether it is a conversation of two people or of a group without a channel. */
  readonly isDirect: boolean
  readonly messages: ReadonlyArray<ChatMessage>
  readonly urlOf: (message: ChatMessage) => string | null
  /** Members of a channel that is not for everybody. */
  readonly readers: ItemReaders
}

/** The folder of conversations without a channel. */
export const directFolder = "Direct messages"

/** A message with the replies to it, oldest first; the first reply stands for a message that was deleted. */
export type ChatThread = ReadonlyArray<ChatMessage>

/** Document of a channel and a day, with the threads that began on that day. */
export interface ChatDay {
  readonly externalId: string
  readonly path: string
  readonly item: FetchedItem
}

/** The documents of a channel, one for each day (UTC) on which a thread began. */
export const chatDays = (channel: ChatChannel): ReadonlyArray<ChatDay> => {
  const sorted = [...channel.messages].sort(byTime)
  const ids = new Set(sorted.map((message) => message.id))
  const threads = new Map<string, Array<ChatMessage>>()
  for (const message of sorted) {
    const key = message.thread !== null && message.thread !== message.id ? message.thread : message.id
    const thread = threads.get(key)
    if (thread === undefined) threads.set(key, [message])
    else thread.push(message)
  }
  const days = new Map<string, Array<ChatThread>>()
  for (const [key, thread] of threads) {
    const root = ids.has(key) ? thread.find((message) => message.id === key) : undefined
    const ordered = root === undefined ? thread : [root, ...thread.filter((message) => message !== root)]
    const day = (ordered[0]?.at ?? "").slice(0, 10)
    const known = days.get(day)
    if (known === undefined) days.set(day, [ordered])
    else known.push(ordered)
  }
  return [...days].map(([day, ordered]) => chatDay(channel, day, ordered))
}

/** Order of messages by time. */
export const byTime = (a: ChatMessage, b: ChatMessage): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1

/** The document of one day; its version changes with whatever it shows. */
export const chatDay = (
  { id, names, readers, urlOf }: Pick<ChatChannel, "id" | "names" | "readers" | "urlOf">,
  day: string,
  threads: ReadonlyArray<ChatThread>
): ChatDay => {
  const name = names.at(-1) ?? id
  const path = `${names.map(pathSegment).join("/")}/${day}.md`
  const all = threads.flat()
  const [first] = all
  const markdown = `# ${name}, ${day}\n\n${threads.map(threadMarkdown).join("\n\n")}\n`
  const url = first === undefined ? null : urlOf(first)
  const item: FetchedItem = {
    externalId: `${id}/${day}`,
    version: versionOf(markdown, path, url ?? ""),
    path,
    title: `${name}, ${day}`,
    url,
    author: null,
    createdAt: first?.at ?? null,
    modifiedAt: all.reduce((latest, { at }) => (at > latest ? at : latest), first?.at ?? "") || null,
    labels: [],
    body: { markdown },
    attachments: [],
    warnings: [],
    readers
  }
  return { externalId: item.externalId, path, item }
}

/** A thread: its first message, and the replies as quotes below it. */
const threadMarkdown = ([root, ...replies]: ChatThread): string =>
  [
    ...(root === undefined ? [] : [messageMarkdown(root)]),
    ...(replies.length === 0 ? [] : [quoted(replies.map(messageMarkdown).join("\n\n"))])
  ].join("\n\n")

const messageMarkdown = ({ at, author, files, isEdited, markdown }: ChatMessage): string => {
  const attached = files.length === 0 ? "" : `\n\nAttached: ${files.join(", ")}`
  const gap = /^(?:```|~~~|[-*>#|]|\d+\.|<)/.test(markdown) ? "\n\n" : " "
  return `**${author}** (${at.slice(11, 16)}${isEdited ? ", edited" : ""}):${gap}${markdown}${attached}`.trimEnd()
}

const quoted = (markdown: string): string =>
  markdown
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")

/** How the documents of chats are listed and fetched when all of them are at hand. */
export const listedDays = (days: ReadonlyArray<ChatDay>) => {
  const byId = new Map(days.map((day) => [day.externalId, day]))
  return {
    changes: [...byId.values()].map(
      ({ externalId, item, path }): ItemChange => ({ op: "upsert", externalId, version: item.version, path })
    ),
    readers: readersBy((externalId) => byId.get(externalId)?.item.readers),
    fetch: (externalId: string): Effect.Effect<FetchedItem, ItemGone> => {
      const day = byId.get(externalId)
      return day === undefined ? Effect.fail(new ItemGone({ externalId })) : Effect.succeed(day.item)
    }
  }
}
