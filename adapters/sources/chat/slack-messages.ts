import { z } from "zod"
import { escapeMarkdown } from "../../formats/table.js"
import { isoMoment } from "../item-path.js"
import { personReader } from "../item-readers.js"
import { type ChatMessage, directFolder } from "./conversation.js"

const Profile = z.object({
  display_name: z.string().optional(),
  real_name: z.string().optional(),
  email: z.string().nullish().catch(null)
})

/** A message as Slack's exports and its Web API give it. */
export const SlackMessage = z.object({
  type: z.string().optional(),
  subtype: z.string().optional(),
  ts: z.string().regex(/^\d+\.\d+$/),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  text: z.string().catch(""),
  bot_id: z.string().nullish(),
  user_profile: Profile.optional().catch(undefined),
  edited: z.object({ ts: z.string() }).optional().catch(undefined),
  files: z
    .array(z.object({ name: z.string().nullish(), title: z.string().nullish() }))
    .optional()
    .catch(undefined),
  reply_count: z.number().optional(),
  latest_reply: z.string().optional(),
  hidden: z.boolean().optional()
})
export type SlackMessage = z.infer<typeof SlackMessage>

export const SlackUser = z.object({
  id: z.string(),
  name: z.string().optional(),
  real_name: z.string().optional(),
  is_bot: z.boolean().optional(),
  profile: Profile.optional()
})
export type SlackUser = z.infer<typeof SlackUser>

export const SlackChannel = z.object({
  id: z.string(),
  name: z.string().optional(),
  is_im: z.boolean().optional(),
  is_mpim: z.boolean().optional(),
  /** In the Web API alone; an export lists private channels in a file of their own. */
  is_private: z.boolean().optional(),
  /** The other one in a conversation of two. */
  user: z.string().optional(),
  members: z.array(z.string()).optional()
})
export type SlackChannel = z.infer<typeof SlackChannel>

/** Members of a channel as readers; a person without an e-mail address is left out. */
export const membersAsReaders = (
  users: ReadonlyArray<SlackUser>
): ((members: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const byId = new Map(users.map(({ id, profile }) => [id, personReader(profile?.email)]))
  return (members) => members.flatMap((id) => byId.get(id) ?? [])
}

/** Names by the ids that messages use. */
export interface SlackNames {
  readonly users: ReadonlyMap<string, string>
  /** Display names by the names that people log in with. */
  readonly handles: ReadonlyMap<string, string>
  readonly bots: ReadonlySet<string>
  readonly channels: ReadonlyMap<string, string>
}

export const slackNames = (
  users: ReadonlyArray<SlackUser>,
  channels: ReadonlyArray<SlackChannel>
): SlackNames => ({
  users: new Map(users.map((user) => [user.id, displayName(user)])),
  handles: new Map(users.map((user) => [user.name ?? user.id, displayName(user)])),
  bots: new Set(users.flatMap(({ id, is_bot }) => (is_bot === true || id === "USLACKBOT" ? [id] : []))),
  channels: new Map(channels.map(({ id, name = id }) => [id, name]))
})

/** Whether a conversation is one of two people, or of a group without a channel. */
export const isDirect = ({ is_im, is_mpim, name }: SlackChannel): boolean =>
  is_im === true || is_mpim === true || /^mpdm-/.test(name ?? "")

/** Folders of the documents of a channel: its name, or those of the people that it consists of. */
export const channelFolders = (
  channel: SlackChannel,
  { handles, users }: SlackNames
): ReadonlyArray<string> => {
  const { id, members, name, user } = channel
  if (!isDirect(channel)) return [name ?? id]
  const [, group] = /^mpdm-(.+)-\d+$/.exec(name ?? "") ?? []
  const people =
    members?.map((one) => users.get(one) ?? one) ??
    (user === undefined
      ? (group?.split("--").map((handle) => handles.get(handle) ?? handle) ?? [])
      : [users.get(user) ?? user])
  return [directFolder, people.length === 0 ? (name ?? id) : [...people].sort().join(", ")]
}

const displayName = ({ id, name, profile, real_name }: SlackUser): string =>
  [profile?.display_name, profile?.real_name, real_name, name].find(
    (one) => one !== undefined && one.trim() !== ""
  ) ?? id

/** Kinds of messages that people write; all others tell of joins, topics, calls and the like. */
const personalSubtypes = new Set([undefined, "me_message", "file_share", "thread_broadcast", "file_comment"])

/** The message as people see it; null for what programs wrote. */
export const chatMessage = (message: SlackMessage, names: SlackNames): ChatMessage | null => {
  const { bot_id, subtype, thread_ts, ts, user, user_profile } = message
  const isBot = (bot_id !== undefined && bot_id !== null) || (user !== undefined && names.bots.has(user))
  const at = isoMoment(Number(ts) * 1000)
  const files = (message.files ?? []).flatMap(({ name, title }) => name ?? title ?? [])
  const markdown = slackMarkdown(message.text, names)
  if (!personalSubtypes.has(subtype) || isBot || at === null || message.hidden === true) return null
  if (markdown.trim() === "" && files.length === 0) return null
  return {
    id: ts,
    thread: thread_ts === undefined || thread_ts === ts ? null : thread_ts,
    at,
    author:
      names.users.get(user ?? "") ??
      (user_profile?.display_name || user_profile?.real_name || user || "Unknown"),
    markdown,
    isEdited: message.edited !== undefined,
    files: files.map(escapeMarkdown)
  }
}

/** Text in Slack's own markup as Markdown. */
export const slackMarkdown = (
  text: string,
  { channels, users }: Pick<SlackNames, "channels" | "users">
): string =>
  text
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part) => {
      if (part.startsWith("```"))
        return `\n\`\`\`\n${unescaped(part.slice(3, -3)).replace(/^\n|\n$/g, "")}\n\`\`\`\n`
      if (part.startsWith("`")) return unescaped(part)
      return part
        .replace(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, "**$1**")
        .replace(/(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])/g, "~~$1~~")
        .replace(/^&gt; ?/gm, "> ")
        .replace(/^[•◦] ?/gm, "- ")
        .replace(/<([^<>\n]+)>/g, (_, inner: string) => reference(inner, channels, users))
        .replace(/&lt;/g, "\\<")
        .replace(/&gt;/g, ">")
        .replace(/&amp;/g, "&")
    })
    .join("")
    .trim()

const unescaped = (text: string): string =>
  text
    .replace(/<([^<>|\n]+)(?:\|[^<>\n]*)?>/g, "$1")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")

/**
 * Returns the text of a reference between angle brackets: a person, a channel, a group, or an address with its label.
 */
const reference = (
  inner: string,
  channels: ReadonlyMap<string, string>,
  users: ReadonlyMap<string, string>
): string => {
  const [target = "", label] = inner.split("|", 2)
  if (target.startsWith("@")) return `@${users.get(target.slice(1)) ?? label ?? target.slice(1)}`
  if (target.startsWith("#")) return `#${channels.get(target.slice(1)) ?? label ?? target.slice(1)}`
  if (target.startsWith("!")) return label ?? `@${target.slice(1).split("^", 1)[0]}`
  if (target.startsWith("mailto:")) return label ?? target.slice(7)
  return label === undefined ? `<${target}>` : `[${label}](${target})`
}
