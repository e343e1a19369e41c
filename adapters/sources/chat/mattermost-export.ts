import { z } from "zod"
import type { ExportFile } from "../archive.js"
import { isoMoment } from "../item-path.js"
import { personReader } from "../item-readers.js"
import { type ChatChannel, type ChatMessage, directFolder } from "./conversation.js"

/** Fields that posts and replies of a Mattermost export share. */
const Written = {
  user: z.string(),
  message: z.string().catch(""),
  create_at: z.number(),
  edit_at: z.number().nullish(),
  type: z.string().nullish(),
  attachments: z
    .array(z.object({ path: z.string() }))
    .nullish()
    .catch(null)
}
const Reply = z.object(Written)
const replies = z.array(Reply).nullish()
const Post = z.object({ team: z.string(), channel: z.string(), ...Written, replies })
const DirectPost = z.object({ channel_members: z.array(z.string()).min(1), ...Written, replies })
const User = z.object({
  username: z.string(),
  nickname: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  email: z.string().nullish().catch(null),
  teams: z
    .array(
      z.object({
        name: z.string(),
        channels: z
          .array(z.object({ name: z.string() }))
          .nullish()
          .catch(null)
      })
    )
    .nullish()
    .catch(null)
})
const Channel = z.object({
  team: z.string(),
  name: z.string(),
  display_name: z.string().optional(),
  /** `O` for an open channel. */
  type: z.string().optional()
})
const Line = z.object({
  type: z.string(),
  user: User.optional().catch(undefined),
  bot: z.object({ username: z.string() }).optional().catch(undefined),
  channel: Channel.optional().catch(undefined),
  post: Post.optional().catch(undefined),
  direct_post: DirectPost.optional().catch(undefined)
})

/** Reads the bulk export of Mattermost: its JSON lines, alone or in a zip. */
export const readMattermostExport = (files: ReadonlyArray<ExportFile>): ReadonlyArray<ChatChannel> => {
  const lines = files.filter(({ path }) => /\.jsonl$/i.test(path)).flatMap(({ bytes }) => readLines(bytes))
  if (!lines.some(({ type }) => type === "version")) throw new Error("no export")
  const bots = new Set(lines.flatMap(({ bot }) => bot?.username ?? []))
  const users = new Map(
    lines.flatMap(({ user }) => (user === undefined ? [] : [[user.username, displayName(user)]]))
  )
  const displayed = new Map(
    lines.flatMap(({ channel }) =>
      channel === undefined ? [] : [[`${channel.team}/${channel.name}`, channel.display_name || channel.name]]
    )
  )
  const emails = new Map(
    lines.flatMap(({ user }) => (user === undefined ? [] : [[user.username, personReader(user.email)]]))
  )
  const members = new Map<string, Array<string>>()
  for (const { user } of lines)
    for (const team of user?.teams ?? [])
      for (const { name } of team.channels ?? []) {
        const id = `${team.name}/${name}`
        members.set(id, [...(members.get(id) ?? []), ...(emails.get(user?.username ?? "") ?? [])])
      }
  const open = new Set(
    lines.flatMap(({ channel }) => (channel?.type === "O" ? [`${channel.team}/${channel.name}`] : []))
  )
  const messageOf = (id: string, thread: string | null, reply: z.infer<typeof Reply>): ChatMessage | null => {
    const { attachments, create_at, edit_at, message, type, user } = reply
    const at = isoMoment(create_at)
    const files = (attachments ?? []).map(({ path }) => path.slice(path.lastIndexOf("/") + 1))
    if (at === null || bots.has(user) || (type ?? "") !== "" || (message.trim() === "" && files.length === 0))
      return null
    return {
      id,
      thread,
      at,
      author: users.get(user) ?? user,
      markdown: message.replace(/(?<![\w`])@([a-z0-9._-]*[a-z0-9])/g, (whole, name: string) =>
        users.has(name) ? `@${users.get(name)}` : whole
      ),
      isEdited: (edit_at ?? 0) > 0,
      files
    }
  }
  const channels = new Map<string, ChatChannel & { readonly messages: Array<ChatMessage> }>()
  const put = (
    { id, isDirect, names, readers }: Pick<ChatChannel, "id" | "names" | "isDirect" | "readers">,
    post: z.infer<typeof Reply> & { readonly replies?: z.infer<typeof replies> }
  ): void => {
    const channel = channels.get(id) ?? { id, isDirect, names, readers, messages: [], urlOf: () => null }
    channels.set(id, channel)
    const root = `${post.create_at}-${channel.messages.length}`
    channel.messages.push(
      ...[
        messageOf(root, null, post),
        ...(post.replies ?? []).map((reply, at) => messageOf(`${root}-${at}`, root, reply))
      ].flatMap((message) => message ?? [])
    )
  }
  for (const { direct_post: direct, post } of lines) {
    if (post !== undefined) {
      const id = `${post.team}/${post.channel}`
      const readers = open.has(id) ? null : (members.get(id) ?? [])
      put({ id, isDirect: false, names: [post.team, displayed.get(id) ?? post.channel], readers }, post)
    }
    if (direct !== undefined) {
      const both = [...new Set(direct.channel_members)].sort()
      const people = both.map((member) => users.get(member) ?? member).join(", ")
      const readers = both.flatMap((member) => emails.get(member) ?? [])
      put({ id: `direct/${both.join(",")}`, isDirect: true, names: [directFolder, people], readers }, direct)
    }
  }
  return [...channels.values()]
}

const readLines = (bytes: Uint8Array): ReadonlyArray<z.infer<typeof Line>> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : [Line.parse(JSON.parse(line))]))

const displayName = ({
  first_name = "",
  last_name = "",
  nickname = "",
  username
}: z.infer<typeof User>): string =>
  [nickname, `${first_name} ${last_name}`].map((name) => name.trim()).find((name) => name !== "") ?? username
