import * as Effect from "effect/Effect"
import { z } from "zod"
import type { ProviderConfig } from "../../../core/connected/sources/index.js"
import { pages, type SlackCall } from "./slack-calls.js"
import {
  isDirect,
  membersAsReaders,
  SlackChannel,
  SlackMessage,
  SlackUser,
  slackNames
} from "./slack-messages.js"

const Members = z.object({ members: z.array(z.string()) })
const Messages = z.object({ messages: z.array(z.unknown()) })
const messagesOf = ({ messages }: z.infer<typeof Messages>): ReadonlyArray<SlackMessage> =>
  messages.flatMap((message) => SlackMessage.safeParse(message).data ?? [])

/** Reads a workspace for a crawl: people and channels, the messages of a channel, and the replies to one. */
export const slackWorkspace = (
  call: SlackCall,
  { channels: wanted, directMessages = false }: ProviderConfig<"slack">
) => ({
  /** The address, the names by id, and the channels in the order of their ids. */
  workspace: Effect.gen(function* () {
    const { url } = yield* call("auth.test", {}, z.object({ url: z.string() }))
    const Users = z.object({ members: z.array(SlackUser) })
    const users = yield* pages(call, "users.list", {}, Users, ({ members }) => members)
    const all = yield* pages(
      call,
      "conversations.list",
      {
        types: `public_channel,private_channel${directMessages ? ",mpim,im" : ""}`,
        exclude_archived: "false"
      },
      z.object({ channels: z.array(SlackChannel.extend({ is_member: z.boolean().optional() })) }),
      (page) => page.channels
    )
    const names = slackNames(users, all)
    const isTaken = (channel: (typeof all)[number]): boolean => {
      const { id, is_member, name = id, user } = channel
      if (isDirect(channel)) return user === undefined || !names.bots.has(user)
      return wanted === undefined ? is_member !== false : wanted.includes(id) || wanted.includes(name)
    }
    return {
      url,
      names,
      readersOf: membersAsReaders(users),
      channels: all.filter(isTaken).sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }),

  /** The ids of the members of a channel. */
  members: (channel: string) =>
    pages(call, "conversations.members", { channel }, Members, (page) => page.members),

  /** The messages of a channel from one moment to before another, newest first, without replies. */
  history: (
    channel: string,
    from: number,
    to: number | null,
    isEnough: (messages: ReadonlyArray<SlackMessage>) => boolean
  ) =>
    pages(
      call,
      "conversations.history",
      {
        channel,
        oldest: String(from / 1000),
        ...(to === null ? {} : { latest: String(to / 1000) }),
        inclusive: "true"
      },
      Messages,
      (page) => messagesOf(page).filter(({ ts }) => to === null || Number(ts) * 1000 < to),
      isEnough
    ),

  /** A message with the replies to it. */
  replies: (channel: string, ts: string) =>
    pages(call, "conversations.replies", { channel, ts }, Messages, messagesOf)
})
