import { PassThrough } from "node:stream"
import { setImmediate, setTimeout } from "node:timers/promises"
import type { Transport } from "@modelcontextprotocol/server"
import { StdioServerTransport, serveStdio as serveLines } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { CallerShape } from "../../core/platform/kernel/index.js"
import type { AppOptions } from "../http/app.js"
import { addressIn } from "./addresses.js"
import { runTool } from "./run.js"
import { mcpServer } from "./server.js"

/** An MCP server on standard input and output. */
export interface StdioServer {
  /** Resolves when the client has disconnected and pending calls are answered. */
  readonly ended: Promise<void>
  /** Ends at once and stops running calls. */
  readonly close: () => Promise<void>
}

/** How long pending calls may run after the client has closed its input. */
const lastAnswersMs = 10_000

/**
 * Serves one local client over standard input and output, which carry only the protocol, as the local user with every
 * right. The first message chooses the protocol: a handshake, or from 2026-07-28 on an envelope in each request.
 */
export const serveStdio = (options: {
  readonly runtime: AppOptions["runtime"]
  readonly caller: CallerShape
  readonly version: string
  readonly isReadOnly: boolean
}): StdioServer => {
  const { caller, isReadOnly, runtime, version } = options
  const onerror = ({ message }: Error) => void runtime.runPromise(Effect.logWarning(`MCP: ${message}`))
  // The SDK drops the calls of a client that has ended its input; here they are answered first.
  const input = new PassThrough()
  process.stdin.pipe(input, { end: false })
  input.on(
    "data",
    strayLineListener(() => onerror(new Error("A line of the input is no message.")))
  )
  const transport = new StdioServerTransport(input)
  const serving = serveLines(
    ({ era }) =>
      mcpServer({
        version,
        era,
        isReadOnly,
        scopes: () => caller.scopes,
        addressOf: addressIn(null),
        run: (effect, { mcpReq: { signal } }, name) =>
          runTool(runtime, effect, { caller, signal, name, span: undefined })
      }),
    { transport, onerror }
  )
  const answered = callsOf(transport)
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
  const inputEnded = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve)
  })
  const last = async (): Promise<void> => {
    await inputEnded
    // Calls in the last bytes start in a later tick.
    await setImmediate()
    await Promise.race([answered(), setTimeout(lastAnswersMs, undefined, { ref: false })])
    await serving.close()
  }
  return { ended: Promise.race([last(), closed]), close: () => serving.close() }
}

/** Returns a listener of input that tells of each line that is no JSON object: the SDK passes over them in silence. */
const strayLineListener = (tell: () => void): ((chunk: Buffer) => void) => {
  let isLineStart = true
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (isLineStart && !"{\r\n".includes(String.fromCharCode(chunk[at] ?? 0))) tell()
      const end = chunk.indexOf("\n", at)
      isLineStart = end >= 0
      at = end < 0 ? chunk.length : end + 1
    }
  }
}

/** Returns a function that waits until every call so far is answered or cancelled. */
const callsOf = (transport: Transport): (() => Promise<void>) => {
  const open = new Set<unknown>()
  let whenIdle = () => {}
  const end = (id: unknown) => {
    open.delete(id)
    if (open.size === 0) whenIdle()
  }
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    if ("method" in message && "id" in message) open.add(message.id)
    onmessage?.(message, extra)
    if ("method" in message && message.method === "notifications/cancelled")
      end(message.params?.["requestId"])
  }
  const send = transport.send.bind(transport)
  transport.send = async (message, sending) => {
    await send(message, sending)
    if (!("method" in message)) end(message.id)
  }
  return () =>
    new Promise((resolve) => {
      whenIdle = resolve
      if (open.size === 0) resolve()
    })
}
