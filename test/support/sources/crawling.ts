import type { IncomingMessage, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { ConversionError } from "../../../adapters/formats/converted.js"
import type { FormatTasks } from "../../../adapters/formats/format-tasks.js"
import { tasks } from "../../../adapters/formats/tasks.js"
import { builtInCrawlers, type CrawlerOptions } from "../../../adapters/sources/index.js"
import type {
  Crawler,
  CrawlerProvider,
  SourceRejected,
  Upload
} from "../../../core/connected/sources/index.js"
import { ConversionFailed } from "../../../core/files/documents/index.js"
import { listenOnLoopback } from "../loopback.js"

/** Runs tasks in this process, without the child process that an engine starts. */
const tasksHere: FormatTasks["Type"] = {
  run: (name, input) =>
    Effect.tryPromise({
      try: () => tasks[name](input as never) as Promise<never>,
      catch: (error) =>
        error instanceof ConversionError
          ? new ConversionFailed({ code: error.code, message: error.message })
          : new ConversionFailed({ code: "conversion_failed", message: String(error) })
    })
}

/** Options of crawlers that read servers of this machine, three items to a page. */
const testOptions: CrawlerOptions = {
  privateAddresses: true,
  folders: [],
  cacheFolder: null,
  converter: { convert: (file) => tasksHere.run("convert", file) },
  tasks: tasksHere,
  pageSize: 3
}

/** A built-in provider, as an engine is given it. */
export const builtInProvider = (name: string, options: Partial<CrawlerOptions> = {}): CrawlerProvider => {
  const provider = builtInCrawlers({ ...testOptions, ...options }).find((one) => one.provider === name)
  if (provider === undefined) throw new Error(`no provider ${name}`)
  return provider
}

/** The provider of uploads, with pages that hold all files. */
export const uploadProvider = (): CrawlerProvider => builtInProvider("markdown_upload", { pageSize: 200 })

/** Opens a crawler of a built-in provider. */
export const openCrawler = (
  config: { readonly provider: string } & Readonly<Record<string, unknown>>,
  {
    credential = null,
    upload = null,
    ...options
  }: Partial<CrawlerOptions> & { readonly credential?: string | null; readonly upload?: Upload | null } = {}
): Effect.Effect<Crawler, SourceRejected, Scope.Scope> =>
  builtInProvider(config.provider, options).open({
    key: "test",
    config,
    credential: credential === null ? null : Redacted.make(credential),
    upload
  })

/** A web server on loopback that closes with the scope; gives its address without a slash at the end. */
export const webServer = (
  answer: (
    request: IncomingMessage & { readonly body: string },
    response: ServerResponse
  ) => void | Promise<void>
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        listenOnLoopback((request, response, body) =>
          answer(Object.assign(request, { body: body.toString("latin1") }), response)
        )
      ),
      ({ close }) => Effect.promise(close)
    ),
    ({ url }) => url
  )

/** Sends JSON. */
export const sendJson = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}
