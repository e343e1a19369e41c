import { setImmediate, setTimeout } from "node:timers/promises"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import * as Effect from "effect/Effect"
import type { CallerShape } from "../../core/platform/kernel/index.js"
import type { AppOptions } from "../http/app.js"
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
 * right.
 */
export const serveStdio = async (options: {
  readonly runtime: AppOptions["runtime"]
  readonly caller: CallerShape
  readonly version: string
  readonly isReadOnly: boolean
}): Promise<StdioServer> => {
  const { caller, isReadOnly, runtime, version } = options
  const underWay = new Set<Promise<unknown>>()
  const server = mcpServer({
    version,
    isReadOnly,
    scopes: () => caller.scopes,
    run: (effect, { signal }, name) => {
      const work = runTool(runtime, effect, { caller, signal, name, span: undefined })
      underWay.add(work)
      return work.finally(() => underWay.delete(work))
    }
  })
  server.onerror = ({ message }) => void runtime.runPromise(Effect.logWarning(`MCP: ${message}`))
  const closed = new Promise<void>((resolve) => {
    server.onclose = () => resolve()
  })
  const inputEnded = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve)
  })
  const answered = async (): Promise<void> => {
    await inputEnded
    // Calls in the last bytes start in a later tick.
    await setImmediate()
    await Promise.race([Promise.allSettled(underWay), setTimeout(lastAnswersMs, undefined, { ref: false })])
    await setImmediate()
    await server.close()
  }
  await server.connect(new StdioServerTransport())
  return { ended: Promise.race([answered(), closed]), close: () => server.close() }
}
