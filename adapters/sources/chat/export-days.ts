import { type ExportFile, filesOf } from "../archive.js"
import { type ChatDay, chatDays } from "./conversation.js"
import { readMattermostExport } from "./mattermost-export.js"
import { readSlackExport } from "./slack-export.js"

/** An exported chat, and which of its conversations are taken. */
export interface ExportInput {
  readonly program: "slack_export" | "mattermost_export"
  readonly files: ReadonlyArray<ExportFile>
  readonly channels: ReadonlyArray<string> | null
  readonly directMessages: boolean
  /** ISO 8601 day; null for all. */
  readonly since: string | null
  /** Whether rights of the source are left aside. */
  readonly isForEverybody: boolean
}

const readers = { slack_export: readSlackExport, mattermost_export: readMattermostExport }

/** The documents of an exported chat: one for each channel and day. */
export const exportDays = async ({
  channels,
  directMessages,
  files,
  isForEverybody,
  program,
  since
}: ExportInput): Promise<ReadonlyArray<ChatDay>> =>
  readers[program]((await filesOf(files)).files)
    .filter(({ id, isDirect, names }) =>
      isDirect
        ? directMessages
        : channels === null || channels.some((one) => one === id || names.includes(one))
    )
    .flatMap((channel) =>
      chatDays({
        ...channel,
        readers: isForEverybody ? null : channel.readers,
        messages: channel.messages.filter(({ at }) => at >= (since ?? ""))
      })
    )
