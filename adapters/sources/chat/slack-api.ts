import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type FetchedItem,
  type ItemChange,
  ItemGone,
  type ItemReaders,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { byTime, type ChatDay, type ChatThread, chatDay } from "./conversation.js"
import { slackCalls } from "./slack-calls.js"
import {
  channelFolders,
  chatMessage,
  isDirect,
  type SlackChannel,
  type SlackMessage
} from "./slack-messages.js"
import { slackWorkspace } from "./slack-workspace.js"

const dayMs = 24 * 3_600_000
const defaultLookbackDays = 14
const defaultThreadDays = 60

/** A page of a crawl reads about so many messages of one channel, in whole days. */
const messagesPerPage = 1000

/**
 * Position of a crawl: after a channel in the order of ids, or within it before a moment (`latest`); without a channel,
 * before the next crawl.
 */
const Position = z.object({
  since: z.number().nullable(),
  startedAt: z.number(),
  channel: z.string().nullable(),
  latest: z.number().nullable()
})

/** Slack's Web API: a document for each channel and day. Slack shows bots the channels that they were added to. */
export const slack = (options: CrawlerOptions) =>
  providerOf("slack", (target) =>
    Effect.gen(function* () {
      const { lookbackDays = defaultLookbackDays, since, threadDays = defaultThreadDays } = target.config
      const {
        history,
        members,
        replies,
        workspace: read
      } = slackWorkspace(yield* slackCalls(options, target), target.config)
      const workspace = yield* cachedSuccess(read)
      const oldest = since === undefined ? 0 : Date.parse(since)
      /** The documents of the last page, until they are fetched: their threads are read once. */
      const listed = new Map<string, FetchedItem>()

      const readersOfChannel = new Map<string, ItemReaders>()
      /** The members of a channel that is not for everybody; asked for once. */
      const readersOf = (channel: SlackChannel): Effect.Effect<ItemReaders, SourceFault> =>
        Effect.gen(function* () {
          // Conversations of two and of groups are private, whatever they say.
          if (target.config.readers === "everybody") return null
          if (channel.is_private === false && !isDirect(channel)) return null
          const known = readersOfChannel.get(channel.id)
          if (known !== undefined) return known
          const readers = (yield* workspace).readersOf(yield* members(channel.id))
          readersOfChannel.set(channel.id, readers)
          return readers
        })

      /** The documents of days whose messages are given, with the replies to them. */
      const documentsOf = (channel: SlackChannel, roots: ReadonlyArray<SlackMessage>) =>
        Effect.gen(function* () {
          const { names, url } = yield* workspace
          const days = new Map<string, Array<ChatThread>>()
          for (const root of roots) {
            const answers = (root.reply_count ?? 0) === 0 ? [] : yield* replies(channel.id, root.ts)
            const thread = [root, ...answers.filter(({ ts }) => ts !== root.ts)].flatMap(
              (message) => chatMessage(message, names) ?? []
            )
            if (thread.length === 0) continue
            days.set(dayOf(root), [...(days.get(dayOf(root)) ?? []), thread])
          }
          const about = {
            id: channel.id,
            names: channelFolders(channel, names),
            readers: yield* readersOf(channel),
            urlOf: ({ id }: { readonly id: string }) =>
              `${url.replace(/\/$/, "")}/archives/${channel.id}/p${id.replace(".", "")}`
          }
          return [...days].map(([day, threads]) => chatDay(about, day, threads.sort(byFirst)))
        })

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const start =
            checkpoint === null
              ? { since: null, startedAt: now, channel: null, latest: null }
              : yield* readCheckpoint(Position, checkpoint)
          const startedAt = start.channel === null ? now : start.startedAt
          const { channels } = yield* workspace
          const rest = channels.filter(({ id }) =>
            start.latest === null ? id > (start.channel ?? "") : id >= (start.channel ?? "")
          )
          const [channel, following] = rest
          listed.clear()
          if (channel === undefined) return lastPage([], startedAt)
          const latest = channel.id === start.channel ? start.latest : null
          const back = (days: number) =>
            start.since === null ? oldest : Math.max(oldest, startOfDay(start.since - days * dayMs))
          const lookback = back(lookbackDays)
          const from = Math.min(lookback, back(threadDays))
          const messagesMax = options.pageSize ?? messagesPerPage
          const found = yield* history(channel.id, from, latest, (messages) => {
            const isEnough = messages.length >= messagesMax
            return isEnough && dayOf(messages[0]) !== dayOf(messages.at(-1))
          })
          // The messages read may end within a day: that day belongs to the next page.
          const isWhole = found.length < messagesMax || dayOf(found[0]) === dayOf(found.at(-1))
          const begin = isWhole ? from : startOfDay(momentOf(found.at(-1))) + dayMs
          const roots = found.filter((message) => isRoot(message) && momentOf(message) >= begin)
          const active = new Set(roots.filter((root) => isActive(root, lookback)).map(dayOf))
          const days = yield* documentsOf(
            channel,
            roots.filter((root) => active.has(dayOf(root)))
          )
          for (const { externalId, item } of days) listed.set(externalId, item)
          // In the days that are read again, a day without messages has no document.
          const removedDays =
            start.since === null
              ? []
              : daysBetween(Math.max(begin, lookback), latest ?? startedAt + dayMs)
                  .map((day) => `${channel.id}/${day}`)
                  .filter((externalId) => !listed.has(externalId))
                  .map((externalId) => ({ op: "delete" as const, externalId }))
          const all = [...days.map(namedDay), ...removedDays]
          if (isWhole && following === undefined) return lastPage(all, startedAt)
          return {
            changes: all,
            failures: [],
            checkpoint: {
              since: start.since,
              startedAt,
              channel: channel.id,
              latest: isWhole ? null : begin
            },
            isLast: false,
            total: null
          } satisfies ChangePage
        })

      return {
        traits: { changes: "feed", deletions: "changes" } as const,
        check: Effect.asVoid(workspace),
        changes,
        listIds: (position) => Effect.map(changes(position), idsOf),
        readers: (externalIds) =>
          Effect.gen(function* () {
            const found = new Map<string, ItemReaders>()
            const { channels } = yield* workspace
            for (const externalId of externalIds) {
              const channel = channels.find(({ id }) => id === externalId.split("/")[0])
              // The app no longer sees this channel and cannot list its members, so that nobody may read it here.
              found.set(externalId, channel === undefined ? [] : yield* readersOf(channel))
            }
            return found
          }),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const known = listed.get(externalId)
            // A repeated request reads the current state again.
            if (listed.delete(externalId) && known !== undefined) return known
            const [id = "", day = ""] = externalId.split("/")
            const channel = (yield* workspace).channels.find((one) => one.id === id)
            const start = Date.parse(day)
            if (channel === undefined || Number.isNaN(start)) return yield* new ItemGone({ externalId })
            const roots = yield* history(id, start, start + dayMs, () => false)
            const [found] = yield* documentsOf(channel, roots.filter(isRoot))
            return found === undefined ? yield* new ItemGone({ externalId }) : found.item
          })
      }
    })
  )

const namedDay = ({ externalId, item: { path, version } }: ChatDay): ItemChange => ({
  op: "upsert",
  externalId,
  version,
  path
})

const lastPage = (changes: ReadonlyArray<ItemChange>, startedAt: number): ChangePage => ({
  changes,
  failures: [],
  checkpoint: { since: startedAt, startedAt, channel: null, latest: null },
  isLast: true,
  total: null
})

const isRoot = ({ thread_ts, ts }: SlackMessage): boolean => thread_ts === undefined || thread_ts === ts

/** Whether the message, or a reply to it, is from this moment or later. */
const isActive = (root: SlackMessage, from: number): boolean =>
  momentOf(root) >= from || Number(root.latest_reply ?? 0) * 1000 >= from

const byFirst = ([a]: ChatThread, [b]: ChatThread): number =>
  a === undefined || b === undefined ? 0 : byTime(a, b)

const momentOf = (message: SlackMessage | undefined): number => Number(message?.ts ?? 0) * 1000

/** The day of a message in UTC. */
const dayOf = (message: SlackMessage | undefined): string =>
  new Date(momentOf(message)).toISOString().slice(0, 10)

/** The days that begin in a span of time. */
const daysBetween = (from: number, to: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, Math.ceil((to - startOfDay(from)) / dayMs)) }, (_, at) =>
    new Date(startOfDay(from) + at * dayMs).toISOString().slice(0, 10)
  )

const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs
