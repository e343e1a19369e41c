import type { Socket } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { runEffect } from "../../../support/run.js"
import { openCrawler } from "../../../support/sources/crawling.js"
import { type MailScript, scriptedMailServer } from "../../../support/sources/mail-script.js"

/** Writes at the pace of the reader, until all is sent or the reader leaves; gives how many bytes were taken. */
const flood = async (socket: Socket, parts: Iterable<string>): Promise<number> => {
  await pipeline(Readable.from(parts), socket, { end: false }).catch(() => undefined)
  return socket.bytesWritten
}

function* endless(part: (at: number) => string): Generator<string> {
  for (let at = 1; ; at++) yield part(at)
}

/** The fault that ends the listing of a mailbox on such a server. */
const faultOn = (script: MailScript) =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* scriptedMailServer(script)
        const crawler = yield* openCrawler(
          { provider: "imap", url, username: "ada" },
          { credential: "secret" }
        )
        return yield* Effect.flip(crawler.changes(null))
      })
    )
  )

const long = (letter: string) => letter.repeat(900)
const message = (at: number) => {
  const id = `<${long("m")}${at}@example.org>`
  const references = `References: <${long("r")}${at}@example.org>\r\n\r\n`
  const envelope = `(NIL "${long("s")}" NIL NIL NIL NIL NIL NIL "<${long("p")}@example.org>" "${id}")`
  return `* ${at} FETCH (UID ${at} ENVELOPE ${envelope} BODY[HEADER.FIELDS (REFERENCES AUTO-SUBMITTED)] {${references.length}}\r\n${references})\r\n`
}

describe("a mail server", () => {
  it("that finds more messages than a mailbox may have is refused, with what to set", async () => {
    const uids = Array.from({ length: 100_001 }, (_, at) => at + 1).join(" ")
    const fault = await faultOn({ SEARCH: (socket) => void socket.write(`* SEARCH ${uids}\r\n`) })
    expect(fault).toMatchObject({
      _tag: "SourceRejected",
      message: expect.stringMatching(/has more than 100000 messages: `since` takes the newer ones/)
    })
  })

  it("that lists messages without end is left when their headers are as large as may be kept", async () => {
    let taken = 0
    const fault = await faultOn({
      FETCH: async (socket) => {
        taken = await flood(socket, endless(message))
      }
    })
    expect(fault).toMatchObject({
      _tag: "SourceRejected",
      message: expect.stringMatching(/lists more than can be read/)
    })
    await expect.poll(() => taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(128 * 1024 * 1024)
  })

  it.each<[string, (socket: Socket) => Promise<number>]>([
    [
      "a line without end",
      (socket) => flood(socket, ["* 1 FETCH (UID 1 ENVELOPE (", ...filling(128 * 1024 * 1024)])
    ],
    [
      "a text of a gigabyte",
      (socket) => flood(socket, ["* 1 FETCH (UID 1 BODY[] {1073741824}\r\n", ...filling(128 * 1024 * 1024)])
    ]
  ])("that sends %s is left", async (_, send) => {
    let taken = 0
    const fault = await faultOn({
      FETCH: async (socket) => {
        taken = await send(socket)
      }
    })
    expect(fault).toMatchObject({ _tag: "SourceUnreachable" })
    await expect.poll(() => taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(100 * 1024 * 1024)
  })
})

/** So many bytes of one letter, in pieces. */
function* filling(bytes: number): Generator<string> {
  const piece = "x".repeat(64 * 1024)
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece
}
