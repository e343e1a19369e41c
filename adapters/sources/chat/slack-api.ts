import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type CrawlTarget,
  crawlerProvider,
  type FetchedItem,
  type ItemChange,
  ItemGone,
  type ProviderConfig,
  providerConfigs,
  providers,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized
} from "../../../core/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { jsonOf, sourceHttp } from "../http.js"
import { pathSegment, versionOf } from "../item-path.js"
import type { CrawlerOptions } from "../options.js"
import { type ChatMessage, chatDays } from "./conversation.js"
import {
  chatMessage,
  SlackChannel,
  SlackMessage,
  type SlackNames,
  SlackUser,
  slackNames
} from "./slack-messages.js"

const dayMs = 24 * 3_600_000
const pageSize = 200
const defaultLookbackDays = 14

/** A page of a crawl reads about so many messages of one channel, in whole days. */
const messagesPerPage = 1000

/**
 * Where a crawl is: after a channel in the order of ids, or within it before a moment (`latest`); before the next crawl
 * without a channel.
 */
const Position = z.object({
  since: z.number().nullable(),
  startedAt: z.number(),
  channel: z.string().nullable(),
  latest: z.number().nullable()
})

/** Slack's Web API: a document for each channel and day. Slack shows bots the channels that they were added to. */
export const slack = (options: CrawlerOptions) =>
  crawlerProvider({
    provider: "slack",
    ...providers.slack,
    config: providerConfigs.slack,
    open: (target) =>
      Effect.gen(function* () {
        const { channels: wanted, lookbackDays = defaultLookbackDays, since } = target.config
        const call = yield* slackCalls(options, target)
        const workspace = yield* cachedSuccess(
          Effect.gen(function* () {
            const { url } = yield* call("auth.test", {}, z.object({ url: z.string() }))
            const users = yield* pages(
              call,
              "users.list",
              {},
              z.object({ members: z.array(SlackUser) }),
              (page) => page.members
            )
            const all = yield* pages(
              call,
              "conversations.list",
              { types: "public_channel,private_channel", exclude_archived: "false" },
              z.object({ channels: z.array(SlackChannel.extend({ is_member: z.boolean().optional() })) }),
              (page) => page.channels
            )
            const channels = all
              .filter(({ id, is_member, name }) =>
                wanted === undefined
                  ? is_member !== false
                  : wanted.includes(id) || wanted.includes(name ?? id)
              )
              .sort((a, b) => (a.id < b.id ? -1 : 1))
            return { url, names: slackNames(users, all), channels }
          })
        )
        const oldest = since === undefined ? 0 : Date.parse(since)

        /** The messages of a channel from one moment to before another, newest first, without replies. */
        const history = (channel: string, from: number, to: number | null, messagesMax: number) =>
          pages(
            call,
            "conversations.history",
            {
              channel,
              oldest: String(from / 1000),
              ...(to === null ? {} : { latest: String(to / 1000) }),
              inclusive: "true"
            },
            z.object({ messages: z.array(z.unknown()) }),
            (page) =>
              page.messages
                .flatMap((message) => SlackMessage.safeParse(message).data ?? [])
                .filter((message) => to === null || momentOf(message) < to),
            (messages) => messages.length >= messagesMax && dayOf(messages[0]) !== dayOf(messages.at(-1))
          )

        const changes = (checkpoint: Checkpoint | null) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const start =
              checkpoint === null
                ? { since: null, startedAt: now, channel: null, latest: null }
                : yield* readCheckpoint(Position, checkpoint)
            const startedAt = start.channel === null ? now : start.startedAt
            const { channels, names } = yield* workspace
            const rest = channels.filter(({ id }) =>
              start.latest === null ? id > (start.channel ?? "") : id >= (start.channel ?? "")
            )
            const [channel, following] = rest
            if (channel === undefined) return lastPage([], startedAt)
            const latest = channel.id === start.channel ? start.latest : null
            const from =
              start.since === null ? oldest : Math.max(oldest, startOfDay(start.since - lookbackDays * dayMs))
            const messagesMax = options.pageSize ?? messagesPerPage
            const read = yield* history(channel.id, from, latest, messagesMax)
            // What was read ends within a day: that day belongs to the next page.
            const isWhole = read.length < messagesMax || dayOf(read[0]) === dayOf(read.at(-1))
            const begin = isWhole ? from : startOfDay(momentOf(read.at(-1))) + dayMs
            const found = listedDays(
              channel,
              read.filter((message) => momentOf(message) >= begin),
              names
            )
            // In the days that are read again, a day without messages has no document.
            const there = new Set(found.map((change) => change.externalId))
            const gone =
              start.since === null
                ? []
                : daysBetween(begin, latest ?? startedAt + dayMs)
                    .map((day) => `${channel.id}/${day}`)
                    .filter((externalId) => !there.has(externalId))
                    .map((externalId) => ({ op: "delete" as const, externalId }))
            if (isWhole && following === undefined) return lastPage([...found, ...gone], startedAt)
            return {
              changes: [...found, ...gone],
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
          fetch: (externalId) =>
            Effect.gen(function* () {
              const { channels, names, url } = yield* workspace
              const [id = "", day = ""] = externalId.split("/")
              const channel = channels.find((one) => one.id === id)
              const start = Date.parse(day)
              if (channel === undefined || Number.isNaN(start)) return yield* new ItemGone({ externalId })
              const roots = yield* history(id, start, start + dayMs, Number.POSITIVE_INFINITY)
              const messages: Array<ChatMessage> = []
              for (const root of roots) {
                const message = chatMessage(root, names)
                if (message !== null) messages.push(message)
                if ((root.reply_count ?? 0) === 0) continue
                const replies = yield* pages(
                  call,
                  "conversations.replies",
                  { channel: id, ts: root.ts },
                  z.object({ messages: z.array(z.unknown()) }),
                  (page) => page.messages.flatMap((reply) => SlackMessage.safeParse(reply).data ?? [])
                )
                for (const reply of replies) {
                  const written = reply.ts === root.ts ? null : chatMessage(reply, names)
                  if (written !== null) messages.push(written)
                }
              }
              const name = channel.name ?? id
              const found = chatDays({
                id,
                names: [name],
                messages,
                urlOf: (message) => `${url.replace(/\/$/, "")}/archives/${id}/p${message.id.replace(".", "")}`
              }).find((one) => one.externalId === externalId)
              if (found === undefined) return yield* new ItemGone({ externalId })
              return { ...found.item, version: versionOfDay(roots, names) } satisfies FetchedItem
            })
        }
      })
  })

const lastPage = (changes: ReadonlyArray<ItemChange>, startedAt: number): ChangePage => ({
  changes,
  failures: [],
  checkpoint: { since: startedAt, startedAt, channel: null, latest: null },
  isLast: true,
  total: null
})

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

/** The days of a channel with a version that changes with each message, edit and reply. */
const listedDays = (
  { id, name = id }: z.infer<typeof SlackChannel>,
  messages: ReadonlyArray<SlackMessage>,
  names: SlackNames
) => {
  const days = new Map<string, Array<SlackMessage>>()
  for (const message of messages) {
    const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts
    if (isReply || (chatMessage(message, names) === null && (message.reply_count ?? 0) === 0)) continue
    const day = dayOf(message)
    days.set(day, [...(days.get(day) ?? []), message])
  }
  return [...days].map(([day, ofDay]) => ({
    op: "upsert" as const,
    externalId: `${id}/${day}`,
    version: versionOfDay(ofDay, names),
    path: `${pathSegment(name)}/${day}.md`
  }))
}

const versionOfDay = (messages: ReadonlyArray<SlackMessage>, names: SlackNames): string =>
  versionOf(
    ...messages
      .filter((message) => message.thread_ts === undefined || message.thread_ts === message.ts)
      .filter((message) => chatMessage(message, names) !== null || (message.reply_count ?? 0) > 0)
      .map(({ edited, latest_reply, reply_count, text, ts }) =>
        JSON.stringify([ts, text, edited?.ts, reply_count, latest_reply])
      )
      .sort()
  )

type Call = <Value>(
  method: string,
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<Value>
) => Effect.Effect<Value, SourceFault>

const slackCalls = (
  rules: AddressRules,
  { config, credential }: CrawlTarget<ProviderConfig<"slack">>
): Effect.Effect<Call, SourceRejected> =>
  Effect.gen(function* () {
    const base = (config.url ?? "https://slack.com/api").replace(/\/$/, "")
    const http = yield* sourceHttp(rules, {
      url: base,
      requestsPerSecond: config.requestsPerSecond ?? 1,
      secretHeaders: { authorization: `Bearer ${credential === null ? "" : Redacted.value(credential)}` }
    })
    return (method, parameters, schema) =>
      Effect.gen(function* () {
        const request = { url: `${base}/${method}`, method: "POST", body: new URLSearchParams(parameters) }
        const json = yield* jsonOf(yield* http.send(request), request)
        const { error = "unknown_error", ok } = Outcome.safeParse(json).data ?? { ok: false }
        if (ok) {
          const parsed = schema.safeParse(json)
          return parsed.success
            ? parsed.data
            : yield* new SourceRejected({ message: `Slack answers ${method} in an unknown form.` })
        }
        const message = `Slack refuses ${method} (${error.slice(0, 100)}).`
        return yield* /auth|token|account|scope|not_allowed|access/.test(error)
          ? new SourceUnauthorized({ message })
          : new SourceRejected({ message })
      })
  })

const Outcome = z.object({ ok: z.boolean(), error: z.string().optional() })
const Cursor = z.object({ response_metadata: z.object({ next_cursor: z.string().optional() }).optional() })

/** The pages of a method that is paged by cursors: all, or until there is enough. */
const pages = <Value, Item>(
  call: Call,
  method: string,
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<Value>,
  itemsOf: (page: Value) => ReadonlyArray<Item>,
  isEnough: (items: ReadonlyArray<Item>) => boolean = () => false
): Effect.Effect<ReadonlyArray<Item>, SourceFault> =>
  Effect.gen(function* () {
    const items: Array<Item> = []
    let cursor = ""
    do {
      const page = yield* call(
        method,
        { ...parameters, limit: String(pageSize), ...(cursor === "" ? {} : { cursor }) },
        z.intersection(schema, Cursor)
      )
      items.push(...itemsOf(page))
      cursor = page.response_metadata?.next_cursor ?? ""
    } while (cursor !== "" && !isEnough(items))
    return items
  })
