import { posix } from "node:path"
import { z } from "zod"
import type { ExportFile } from "../archive.js"
import type { ChatChannel } from "./conversation.js"
import {
  channelFolders,
  chatMessage,
  isDirect,
  membersAsReaders,
  SlackChannel,
  SlackMessage,
  SlackUser,
  slackNames
} from "./slack-messages.js"

/** Reads the zip that Slack exports: public channels, and private ones and direct messages where it holds them. */
export const readSlackExport = (files: ReadonlyArray<ExportFile>): ReadonlyArray<ChatChannel> => {
  const listed = files.find(({ path }) => posix.basename(path) === "channels.json")
  if (listed === undefined) throw new Error("no channels.json")
  const root = listed.path.slice(0, -"channels.json".length)
  const json = (name: string): unknown => {
    const file = files.find(({ path }) => path === root + name)
    return file === undefined ? [] : JSON.parse(new TextDecoder().decode(file.bytes))
  }
  const listedIn = (name: string) => z.array(SlackChannel).parse(json(name))
  const users = z.array(SlackUser).parse(json("users.json"))
  const readersOf = membersAsReaders(users)
  const channels = [
    ...listedIn("channels.json").map((channel) => ({ ...channel, is_private: false })),
    ...listedIn("groups.json"),
    ...listedIn("mpims.json").map((group) => ({ ...group, is_mpim: true })),
    ...listedIn("dms.json").map((pair) => ({ ...pair, is_im: true }))
  ]
  const names = slackNames(users, channels)
  const byFolder = new Map<string, Array<unknown>>()
  for (const { bytes, path } of files) {
    const [, folder] = /^([^/]+)\/\d{4}-\d\d-\d\d\.json$/.exec(path.slice(root.length)) ?? []
    if (folder === undefined || !path.startsWith(root)) continue
    const messages: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const known = byFolder.get(folder) ?? []
    byFolder.set(folder, known)
    if (Array.isArray(messages)) for (const message of messages) known.push(message)
  }
  return channels.map((channel) => ({
    id: channel.id,
    names: channelFolders(channel, names),
    isDirect: isDirect(channel),
    messages: currentMessages(byFolder.get(channel.name ?? channel.id) ?? []).flatMap(
      (message) => chatMessage(message, names) ?? []
    ),
    urlOf: () => null,
    readers: channel.is_private === false ? null : readersOf(channel.members ?? [])
  }))
}

const Edit = z.object({
  subtype: z.enum(["message_changed", "message_deleted"]),
  deleted_ts: z.string().optional(),
  message: z.unknown().optional()
})

/** The messages as they are after the edits and deletions that an export may record. */
const currentMessages = (recorded: ReadonlyArray<unknown>): ReadonlyArray<SlackMessage> => {
  const messages = new Map<string, SlackMessage>()
  const put = (value: unknown): void => {
    const parsed = SlackMessage.safeParse(value)
    if (parsed.success) messages.set(parsed.data.ts, parsed.data)
  }
  const edits = recorded.flatMap((value) => Edit.safeParse(value).data ?? [])
  for (const value of recorded) put(value)
  for (const { deleted_ts, message, subtype } of edits) {
    if (subtype === "message_changed") put(message)
    else if (deleted_ts !== undefined) messages.delete(deleted_ts)
  }
  return [...messages.values()]
}
