import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface Message {
  readonly ts: string
  readonly user: string
  text: string
  readonly subtype?: string
  readonly bot_id?: string
  readonly thread_ts?: string
  edited?: { readonly ts: string }
}

interface Channel {
  readonly id: string
  readonly name: string
  /** Fields of the channel in `conversations.list`. */
  readonly listed: Readonly<Record<string, unknown>>
  readonly type: "public_channel" | "private_channel" | "im" | "mpim"
  readonly messages: Array<Message>
  /** Ids of people, of a channel that is private. */
  readonly members: Array<string>
}

/**
 * A workspace that answers the methods of Slack's Web API that the crawler calls, written from its documentation. The
 * first call is asked to wait.
 */
export const slackServer = (token: string) =>
  Effect.gen(function* () {
    const channels = new Map<string, Channel>()
    const users = [
      {
        id: "U1",
        name: "ada",
        profile: { display_name: "Ada", real_name: "Ada Lovelace", email: "Ada@example.org" }
      },
      {
        id: "U2",
        name: "grace",
        profile: { display_name: "", real_name: "Grace Hopper", email: "grace@example.org" }
      },
      { id: "UB", name: "robot", is_bot: true }
    ]
    let pauses = 1
    const paged = (key: string, items: ReadonlyArray<unknown>, parameters: URLSearchParams) => {
      const from = Number(parameters.get("cursor") ?? 0)
      const to = from + Math.min(2, Number(parameters.get("limit") ?? 100))
      return {
        [key]: items.slice(from, to),
        response_metadata: { next_cursor: to < items.length ? String(to) : "" }
      }
    }
    const withReplies = (all: ReadonlyArray<Message>, message: Message) => {
      const replies = all.filter(({ thread_ts, ts }) => thread_ts === message.ts && ts !== message.ts)
      return replies.length === 0
        ? message
        : { ...message, thread_ts: message.ts, reply_count: replies.length, latest_reply: replies.at(-1)?.ts }
    }
    const origin = yield* webServer((request, response) => {
      const parameters = new URLSearchParams(request.body)
      if (request.headers.authorization !== `Bearer ${token}`)
        return sendJson(response, { ok: false, error: "invalid_auth" })
      if (pauses > 0) {
        pauses -= 1
        response.writeHead(429, { "retry-after": "0" }).end()
        return
      }
      const channel = channels.get(parameters.get("channel") ?? "")
      const all = channel?.messages ?? []
      switch (request.url) {
        case "/api/auth.test":
          return sendJson(response, { ok: true, url: "https://example.slack.com/" })
        case "/api/users.list":
          return sendJson(response, { ok: true, ...paged("members", users, parameters) })
        case "/api/conversations.list": {
          const types = (parameters.get("types") ?? "public_channel").split(",")
          const asked = [...channels.values()].filter(({ type }) => types.includes(type))
          return sendJson(response, {
            ok: true,
            ...paged(
              "channels",
              asked.map(({ listed }) => listed),
              parameters
            )
          })
        }
        case "/api/conversations.members":
          return sendJson(response, { ok: true, ...paged("members", channel?.members ?? [], parameters) })
        case "/api/conversations.history": {
          if (channel === undefined) return sendJson(response, { ok: false, error: "channel_not_found" })
          const [oldest, latest] = [
            Number(parameters.get("oldest") ?? 0),
            Number(parameters.get("latest") ?? 1e12)
          ]
          const roots = all
            .filter(({ thread_ts, ts }) => thread_ts === undefined || thread_ts === ts)
            .filter(({ ts }) => Number(ts) >= oldest && Number(ts) <= latest)
            .map((message) => withReplies(all, message))
            .reverse()
          return sendJson(response, { ok: true, ...paged("messages", roots, parameters) })
        }
        case "/api/conversations.replies": {
          const ts = parameters.get("ts")
          const thread = all.filter((message) => message.ts === ts || message.thread_ts === ts)
          return sendJson(response, { ok: true, ...paged("messages", thread, parameters) })
        }
        default:
          return sendJson(response, { ok: false, error: "unknown_method" })
      }
    })
    return {
      url: `${origin}/api`,
      channel: (name: string): Array<Message> => {
        const known = [...channels.values()].find((one) => one.name === name)
        if (known !== undefined) return known.messages
        const id = `C${channels.size + 1}`
        const listed = { id, name, is_member: true, is_private: false }
        const made: Channel = { id, name, listed, type: "public_channel", messages: [], members: [] }
        channels.set(id, made)
        return made.messages
      },
      /** A private channel, whose members may be changed. */
      privateChannel: (name: string, members: ReadonlyArray<string>) => {
        const id = `C${channels.size + 1}`
        const listed = { id, name, is_member: true, is_private: true }
        const made: Channel = {
          id,
          name,
          listed,
          type: "private_channel",
          messages: [],
          members: [...members]
        }
        channels.set(id, made)
        return made
      },
      /** A conversation with one person, or with a group by the names that they log in with. */
      direct: (people: string | ReadonlyArray<string>): Array<Message> => {
        const id = `${typeof people === "string" ? "D" : "G"}${channels.size + 1}`
        const group = typeof people === "string" ? null : `mpdm-${people.join("--")}-1`
        const made: Channel = {
          id,
          name: group ?? id,
          listed: group === null ? { id, is_im: true, user: people } : { id, name: group, is_mpim: true },
          type: group === null ? "im" : "mpim",
          messages: [],
          members: typeof people === "string" ? ["U1", people] : ["U1", "U2"]
        }
        channels.set(id, made)
        return made.messages
      }
    }
  })
