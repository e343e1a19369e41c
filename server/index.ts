import { packageVersion } from "../adapters/host/package-version.js"
import { ServerSettings } from "./config.js"
import { openServer } from "./main.js"

export type { ServerConfig } from "./config.js"

/** A server to mount in an app. */
export interface KanonServer {
  /** Answers requests to `/api/v1`, `/api/mcp`, `/healthz`, `/readyz` and `/metrics`; any other path is a 404. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends MCP sessions, hands jobs back and closes the data. Let running requests end first. */
  readonly close: () => Promise<void>
}

/**
 * The standard server as a function from a request to a response, without a socket: for any framework that speaks
 * the web's `Request` and `Response`. It watches the vaults and works on the jobs of all workspaces in `data`.
 *
 * @param options.data The data folder, made by `kanon init` or `createEngine`.
 * @param options.database The URL of a Postgres database in place of SQLite in the data folder.
 * @param options.vault The folder of the first workspace's files.
 * @param options.settings As in `kanon config`, without those about sockets; a wrong one throws a ZodError.
 * @param options.log Takes one line of JSON at a time; silent by default.
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
