import { isIP } from "node:net"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { ImapFlow } from "imapflow"
import {
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable
} from "../../../core/connected/sources/index.js"
import { type AddressRules, guardedLookup } from "../../host/addresses.js"
import { refusalOf } from "../../models/guarded-fetch.js"
import { addressRefusal } from "../http.js"
import { isoMoment } from "../item-path.js"
import type { MailHeader } from "./threads.js"

/** The mailboxes of one account, read one request at a time. */
export interface MailSession {
  /** The messages of a mailbox that are not deleted; null when there is no such mailbox. */
  readonly headers: (
    mailbox: string,
    since: string | undefined
  ) => Effect.Effect<ReadonlyArray<MailHeader> | null, SourceFault>
  /** The whole messages, by uid. One that is gone, or larger than 32 MiB, is left out. */
  readonly messages: (
    mailbox: string,
    uids: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyMap<number, Uint8Array>, SourceFault>
  readonly check: Effect.Effect<void, SourceFault>
}

type Target = CrawlTarget<ProviderConfig<"imap">>

const timeoutMs = 60_000
const messageMaxBytes = 32 * 1024 * 1024
/** Messages of one mailbox, characters of all their headers together, and of one text of a header. */
const bounds = { messages: 100_000, characters: 64 * 1024 * 1024, text: 1000 }
/** Maximum size of one response; the default of the library is a gigabyte. A search needs about eight bytes a message. */
const wireBounds = {
  maxLineLength: 8 * 1024 * 1024,
  maxLiteralSize: messageMaxBytes + 1024,
  maxResponseSize: messageMaxBytes + 8 * 1024 * 1024
}

/** Why the host allows no connection to the server; null where it does. */
export const mailRefusal = (url: string, rules: AddressRules): string | null =>
  refusalOf(`https://${new URL(url).hostname || "invalid"}`, { ...rules, refusal: addressRefusal })

/** Opens the account when it is first asked, and again when the connection broke. Closed with the scope. */
export const mailSession = (
  rules: AddressRules,
  target: Target
): Effect.Effect<MailSession, never, Scope.Scope> =>
  Effect.gen(function* () {
    let client: ImapFlow | null = null
    const one = yield* Effect.makeSemaphore(1)
    yield* Effect.addFinalizer(() => Effect.sync(() => client?.close()))
    const connected = Effect.tryPromise({
      try: async () => {
        if (client?.usable === true) return client
        client = await connect(rules, target)
        return client
      },
      catch: (error) => faultOf(error, target.config.url)
    })
    const ask = <A>(work: (account: ImapFlow) => Promise<A>): Effect.Effect<A, SourceFault> =>
      Effect.flatMap(connected, (account) =>
        Effect.tryPromise({ try: () => work(account), catch: (error) => faultOf(error, target.config.url) })
      ).pipe(
        Effect.timeoutFail({
          duration: timeoutMs * 5,
          onTimeout: () => new SourceUnreachable({ message: "The mail server does not answer in time." })
        }),
        Effect.onError(() =>
          Effect.sync(() => {
            client?.close()
            client = null
          })
        ),
        one.withPermits(1)
      )

    return {
      check: Effect.asVoid(connected),
      headers: (mailbox, since) =>
        ask(async (account) => {
          if (!(await openMailbox(account, mailbox))) return null
          const uids = await account.search(
            since === undefined ? { deleted: false } : { since, deleted: false },
            { uid: true }
          )
          if (!Array.isArray(uids) || uids.length === 0) return []
          if (uids.length > bounds.messages) throw new TooMany(`has more than ${bounds.messages} messages`)
          let characters = 0
          const found: Array<MailHeader> = []
          const query = {
            uid: true,
            envelope: true,
            internalDate: true,
            headers: ["references", "auto-submitted"]
          }
          for await (const { envelope, headers, internalDate, uid } of account.fetch(ranges(uids), query, {
            uid: true
          })) {
            const text = headers?.toString("utf8", 0, bounds.characters / 1024) ?? ""
            if (/^auto-submitted:\s*auto-replied/im.test(text)) continue
            const date = envelope?.date ?? internalDate
            const header = {
              uid,
              messageId: idIn(envelope?.messageId),
              inReplyTo: idIn(envelope?.inReplyTo),
              // The oldest names the thread.
              references: [idIn(text)].filter((id) => id !== null),
              subject: (envelope?.subject ?? "").slice(0, bounds.text),
              date: date === undefined ? null : isoMoment(new Date(date).getTime())
            }
            const { inReplyTo, messageId, references, subject } = header
            characters += [messageId, inReplyTo, subject, ...references].join("").length
            if (found.length >= bounds.messages || characters > bounds.characters)
              throw new TooMany("lists more than can be read")
            found.push(header)
          }
          return found
        }),
      messages: (mailbox, uids) =>
        ask(async (account) => {
          const found = new Map<number, Uint8Array>()
          if (uids.length === 0 || !(await openMailbox(account, mailbox))) return found
          const query = { uid: true, size: true, source: { maxLength: messageMaxBytes } }
          for (const uid of uids) {
            const message = await account.fetchOne(String(uid), query, { uid: true })
            if (message === false || message.source === undefined) continue
            if ((message.size ?? 0) <= messageMaxBytes) found.set(uid, new Uint8Array(message.source))
          }
          return found
        })
    }
  })

/** Opens a mailbox for reading; false when there is none of that name. */
const openMailbox = async (account: ImapFlow, mailbox: string): Promise<boolean> => {
  if (account.mailbox !== false && account.mailbox.path === mailbox) {
    // The server tells of new and removed messages with the next answer.
    await account.noop()
    return true
  }
  try {
    await account.mailboxOpen(mailbox, { readOnly: true })
    return true
  } catch (error) {
    if (!account.usable) throw error
    return false
  }
}

/** Uids as ranges, so that a command does not grow too long. */
const ranges = (uids: ReadonlyArray<number>): string => {
  const parts: Array<[number, number]> = []
  for (const uid of [...uids].sort((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last !== undefined && last[1] === uid - 1) last[1] = uid
    else parts.push([uid, uid])
  }
  return parts.map(([from, to]) => (from === to ? from : `${from}:${to}`)).join(",")
}

const idIn = (text: string | undefined): string | null => /<[^<>\s]{1,1000}>/.exec(text ?? "")?.[0] ?? null

/** Connects to the address that was checked, so that the name cannot lead elsewhere in between. */
const connect = async (rules: AddressRules, { config, credential }: Target): Promise<ImapFlow> => {
  const { ImapFlow: Client } = await import("imapflow")
  const { hostname, port, protocol } = new URL(config.url)
  const bare = hostname.replace(/^\[|\]$/g, "")
  const address = isIP(bare) === 0 ? await resolved(bare, rules) : bare
  const isLoopback = address === "::1" || /^127\./.test(address)
  const secure = protocol === "imaps:"
  const account = new Client({
    host: address,
    port: port === "" ? (secure ? 993 : 143) : Number(port),
    secure,
    ...(isIP(bare) === 0 ? { servername: bare } : {}),
    ...(secure || isLoopback ? {} : { doSTARTTLS: true }),
    auth: { user: config.username, pass: credential === null ? "" : Redacted.value(credential) },
    logger: false,
    ...wireBounds,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs
  })
  account.on("error", () => account.close())
  await account.connect()
  return account
}

const resolved = (host: string, rules: AddressRules): Promise<string> =>
  new Promise((resolve, reject) => {
    guardedLookup(rules, () => new AddressRefused())(host, {}, (error, address) =>
      error === null && typeof address === "string" ? resolve(address) : reject(error ?? new AddressRefused())
    )
  })

class AddressRefused extends Error {}

/** A mailbox lists more than is kept of it. */
class TooMany extends Error {}

const faultOf = (error: unknown, url: string): SourceFault => {
  const { host } = new URL(url)
  if (error instanceof AddressRefused) return new SourceRejected({ message: addressRefusal })
  if (error instanceof TooMany)
    return new SourceRejected({
      message: `A mailbox of ${host} ${error.message}: \`since\` takes the newer ones only.`
    })
  const details = typeof error === "object" && error !== null ? error : {}
  if ("authenticationFailed" in details && details.authenticationFailed === true)
    return new SourceUnauthorized({ message: `${host} does not accept the user name and password.` })
  const code = "code" in details && typeof details.code === "string" ? ` (${details.code})` : ""
  return code === " (ERR_MODULE_NOT_FOUND)"
    ? new SourceRejected({ message: "The package imapflow is not installed; it is an optional dependency." })
    : new SourceUnreachable({ message: `${host} cannot be read${code}.` })
}
