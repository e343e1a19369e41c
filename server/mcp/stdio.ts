import { setImmediate, setTimeout } from "node:timers/promises"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import * as Effect from "effect/Effect"
import type { CallerShape } from "../../core/kernel/index.js"
import type { AppOptions } from "../http/app.js"
import { runTool } from "./run.js"
import { mcpServer } from "./server.js"

/** An MCP server on the standard streams of this process. */
export interface StdioServer {
  /** Resolves when the client has gone and what it asked for is answered. */
  readonly ended: Promise<void>
  /** Ends now: work that is under way is stopped. */
  readonly close: () => Promise<void>
}

/** How long answers to what was asked are waited for once the client asks nothing more. */
const lastAnswersMs = 10_000

/**
 * Serves one local client over the standard input and output, which carry the protocol and nothing else, as the local
 * user with every right.
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
  const gone = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve)
  })
  const answered = async (): Promise<void> => {
    await gone
    // Calls that came with the last bytes begin after them.
    await setImmediate()
    await Promise.race([Promise.allSettled(underWay), setTimeout(lastAnswersMs, undefined, { ref: false })])
    await setImmediate()
    await server.close()
  }
  await server.connect(new StdioServerTransport())
  return { ended: Promise.race([answered(), closed]), close: () => server.close() }
}
