/** Issues, pull requests and discussions as documents: a first text, and what people said about it. */
import type { FetchedItem } from "../../core/connected/sources/index.js"
import { isoMoment, markdownPath } from "./item-path.js"

/** A comment with its replies. */
export interface Comment {
  readonly author: string | null
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly text: string
  /** A remark shown beside the author, such as the file under review or `answer`. */
  readonly note?: string
  readonly replies?: ReadonlyArray<Comment>
}

/** An issue, pull request, discussion or release with its comments, as one document shows it. */
export interface Conversation {
  readonly externalId: string
  readonly version: string
  readonly folder: string
  /** The number of the issue, with which the file name begins. */
  readonly name: string
  readonly title: string
  readonly url: string
  readonly createdAt: string
  readonly modifiedAt: string
  readonly labels: ReadonlyArray<string>
  /** Fields of the front matter, such as `state`. */
  readonly fields: Readonly<Record<string, string | null>>
  readonly first: Comment
  readonly comments: ReadonlyArray<Comment>
  readonly warnings: ReadonlyArray<string>
}

export const conversationPath = ({ folder, name, title }: Pick<Conversation, "folder" | "name" | "title">) =>
  markdownPath([folder, `${name} ${title}`.trim()])

/** The document of a conversation: state and labels in its front matter, comments in the order of time. */
export const conversationItem = (given: Conversation): FetchedItem => {
  const { comments, createdAt, externalId, fields, first, labels, modifiedAt, title, url, version } = given
  const matter = [
    ...(labels.length === 0 ? [] : [`tags: ${JSON.stringify(labels)}`]),
    ...Object.entries(fields).flatMap(([name, value]) =>
      value === null ? [] : [`${name}: ${/^[\w-]+$/.test(value) ? value : JSON.stringify(value)}`]
    )
  ]
  const said = [first, ...[...comments].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))]
  const body = said
    .filter(({ replies = [], text }) => text.trim() !== "" || replies.length > 0)
    .map(commentMarkdown)
  const front = matter.length === 0 ? "" : `---\n${matter.join("\n")}\n---\n\n`
  return {
    externalId,
    version,
    path: conversationPath(given),
    title,
    url,
    author: first.author,
    createdAt: isoMoment(createdAt),
    modifiedAt: isoMoment(modifiedAt),
    labels,
    body: { markdown: `${front}${[`# ${oneLine(title)}`, ...body].join("\n\n")}\n` },
    attachments: [],
    warnings: given.warnings
  }
}

const commentMarkdown = ({ at, author, note, replies = [], text }: Comment): string => {
  const about = note === undefined ? "" : `, ${note}`
  const own = `**${author ?? "Somebody"}** (${at.slice(0, 16).replace("T", " ")}${about}):\n\n${plainLines(text)}`
  return [own, ...replies.map((reply) => quoted(commentMarkdown(reply)))].join("\n\n")
}

const plainLines = (text: string): string => text.replace(/\r\n?/g, "\n").trim()

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const quoted = (markdown: string): string =>
  markdown
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")
