import { packageVersion } from "../adapters/host/package-version.js"
import { ServerSettings } from "./config.js"
import { openServer } from "./main.js"

export type { ServerConfig } from "./config.js"

/** A server to mount in an application. */
export interface KanonServer {
  /** Answers requests to `/api/v1`, `/api/mcp`, `/healthz`, `/readyz` and `/metrics`; any other path is a 404. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends MCP sessions, returns jobs to the queue and closes the data. Let running requests end first. */
  readonly close: () => Promise<void>
}

/**
 * Creates the standard server as a function from a web `Request` to a `Response`, without a socket, for any
 * web-standard framework. It watches the vaults and runs the jobs of all workspaces in `data`.
 *
 * @param options.data The data folder, created by `kanon init` or `createEngine`.
 * @param options.database The URL of a Postgres database instead of SQLite in the data folder.
 * @param options.vault The vault folder of the first workspace.
 * @param options.settings As in `kanon config`, without those about sockets; an invalid one throws a ZodError.
 * @param options.log Receives JSON log lines; silent by default.
 */
export const createServer = async ({
  data,
  database,
  log = () => undefined,
  settings = {},
  vault
}: {
  readonly data: string
  readonly vault: string
  readonly database?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly log?: (line: string) => void
}): Promise<KanonServer> => {
  const config = ServerSettings.parse(settings)
  const server = await openServer({
    place: { data, vault, ...(database === undefined ? {} : { database }) },
    config,
    version: packageVersion,
    environment: {},
    log
  })
  return {
    fetch: server.fetch,
    close: async () => {
      await server.drain()
      await server.close()
    }
  }
}
