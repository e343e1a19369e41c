import { pathSegment, versionOf } from "../item-path.js"

/** Fields of a message that the listing of a mailbox contains. */
export interface MailHeader {
  readonly uid: number
  readonly messageId: string | null
  readonly inReplyTo: string | null
  /** Oldest first. */
  readonly references: ReadonlyArray<string>
  readonly subject: string
  readonly date: string | null
}

/** Messages that answer each other. */
export interface MailThread {
  readonly externalId: string
  readonly version: string
  readonly path: string
  readonly subject: string
  /** In the order of time. */
  readonly messages: ReadonlyArray<MailHeader>
}

/** The threads of a mailbox, by the headers that name earlier messages. A thread keeps its id when messages are removed. */
export const mailThreads = (
  mailbox: string,
  headers: ReadonlyArray<MailHeader>
): ReadonlyArray<MailThread> => {
  const byId = new Map(
    headers.flatMap((header) => (header.messageId === null ? [] : [[header.messageId, header]]))
  )
  // A chain of answers is followed once, however many messages it has.
  const roots = new Map<string, string>()
  const rootOf = (header: MailHeader): string => {
    const seen = new Set<string>()
    let [at, id]: [MailHeader | undefined, string] = [header, header.messageId ?? `uid ${header.uid}`]
    while (at !== undefined && !seen.has(id) && !roots.has(id)) {
      seen.add(id)
      const earlier: string | null = at.references[0] ?? at.inReplyTo
      if (earlier === null) break
      id = earlier
      at = byId.get(earlier)
    }
    // Messages that name each other in a circle are each their own root.
    const root = roots.get(id) ?? id
    let isOfCircle = false
    for (const one of seen) {
      isOfCircle ||= one === id
      roots.set(one, isOfCircle ? one : root)
    }
    return root
  }
  const threads = new Map<string, Array<MailHeader>>()
  for (const header of headers) {
    const root = rootOf(header)
    const thread = threads.get(root)
    if (thread === undefined) threads.set(root, [header])
    else thread.push(header)
  }
  return [...threads].map(([root, unsorted]) => {
    const messages = unsorted.sort((a, b) =>
      (a.date ?? "") < (b.date ?? "") ? -1 : (a.date ?? "") > (b.date ?? "") ? 1 : a.uid - b.uid
    )
    const subject =
      (messages[0]?.subject ?? "").replace(/^(?:\s*(?:re|aw|fwd?|wg|sv|antw)\s*:)+\s*/i, "").trim() ||
      "No subject"
    const folders = mailbox.split("/").map(pathSegment)
    const name = `${subject.slice(0, 100).trim()} (${versionOf(root).slice(0, 6)})`
    return {
      externalId: `${mailbox}/${root}`,
      version: versionOf(...messages.map(({ messageId, uid }) => messageId ?? String(uid)).sort()),
      path: `${[...folders, pathSegment(name)].join("/")}.md`,
      subject,
      messages
    }
  })
}

/** The text of a reply without the earlier messages that it repeats below, which stand in the thread already. */
export const withoutQuote = (markdown: string): string => {
  const lines = markdown.trimEnd().split("\n")
  let end = lines.length
  while (end > 0 && /^(?:>.*|\s*)$/.test(lines[end - 1] ?? "")) end--
  if (!lines.slice(end).some((line) => line.startsWith(">"))) return markdown.trimEnd()
  // The line that introduces the quote may be broken in two.
  if (/:\s*$/.test(lines[end - 1] ?? "")) {
    end--
    if (
      /\bwrote:|schrieb|écrit|escribió/.test(lines[end] ?? "") &&
      !/^(?:On|Am|Le|El)\b/.test(lines[end] ?? "") &&
      /^(?:On|Am|Le|El)\b/.test(lines[end - 1] ?? "")
    )
      end--
  }
  const kept = lines.slice(0, end).join("\n").trimEnd()
  return kept === "" ? markdown.trimEnd() : kept
}
