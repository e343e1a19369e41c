import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { H3, toNodeHandler } from "h3/node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { type ApiOperation, documentText } from "../../tools/api-document.js"
import { requestOf } from "../support/api-requests.js"
import { temporaryFolder } from "../support/folders.js"
import { document, given, operations, refusals } from "../support/generated-calls.js"
import { startServer, type TestServer } from "../support/server.js"
import { root } from "../support/tree.js"
import { seedWorkspace } from "../support/workspace-seed.js"

// Clients that other generators write from our document, each installed from the registry in a folder of its own: a
// program calls all operations with their required fields alone, compiles, and returns what the server sends.

/** The newest orval needs a newer Node. */
const orval = Number(process.versions.node.split(".")[0]) >= 24 ? "8.38.0" : "7.13.2"
const packages = {
  "@hey-api/openapi-ts": "0.95.0",
  orval,
  "openapi-zod-client": "1.18.3",
  "@zodios/core": "10.9.6",
  axios: "1.12.2",
  zod: "3.25.76",
  typescript: "5.9.3"
}

/** These generators read no stream of events; `openapi-typescript` does. */
const streams = new Set(["streamRun"])

type Values = ReturnType<typeof requestOf>["values"]
interface Generator {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** How a program imports it, with the address and the key of a server at hand as `url` and `key`. */
  readonly head: string
  /** How a program calls an operation; `value` reads the status and the data of what came. */
  readonly call: (operation: ApiOperation, values: Values, body: unknown) => string
}

const json = (value: unknown): string => JSON.stringify(value)
const hasQuery = ({ parameters }: ApiOperation): boolean =>
  parameters.some((one) => "in" in one && one.in === "query")
const headers = "{ authorization: 'Bearer ' + key }"

const generators: ReadonlyArray<Generator> = [
  {
    name: "hey-api",
    command: ["openapi-ts", "-i", "openapi.json", "-o", "hey-api"],
    head: `import * as api from "./hey-api/index.js"
import { client } from "./hey-api/client.gen.js"
client.setConfig({ baseUrl: url, headers: ${headers} })
const value = (got: { data?: unknown; error?: unknown; response?: Response; stream?: unknown }) =>
  ({ status: got.response?.status, data: got.data ?? got.error })`,
    call: ({ operationId }, { path, query }, body) =>
      `api.${operationId}({ ${[
        ...(Object.keys(path).length === 0 ? [] : [`path: ${json(path)}`]),
        ...(Object.keys(query).length === 0 ? [] : [`query: ${json(query)}`]),
        ...(body === undefined ? [] : [`body: ${json(body)}`])
      ].join(", ")} })`
  },
  {
    name: "orval",
    command: ["orval", "--config", "orval.config.json"],
    head: `import * as api from "./orval/api.js"
const value = (got: { status: number; data?: unknown }) => ({ status: got.status, data: got.data })
const real = fetch
globalThis.fetch = (path, init) => real(\`\${url}\${path}\`, init)`,
    call: (operation, { path, query }, body) =>
      `api.${operation.operationId}(${[
        ...Object.values(path).map(json),
        ...(body === undefined ? [] : [json(body)]),
        ...(hasQuery(operation) ? [json(query)] : []),
        `{ headers: ${headers} }`
      ].join(", ")})`
  },
  {
    name: "openapi-zod-client",
    command: ["openapi-zod-client", "openapi.json", "-o", "zodios-api.ts"],
    head: `import { createApiClient } from "./zodios-api.js"
const api = createApiClient(url, { axiosConfig: { headers: ${headers} } })
const value = (data: unknown) => ({ status: 200, data })`,
    call: ({ method, operationId, requestBody }, { path, query }, body) => {
      const rest = `{ ${[
        ...(Object.keys(path).length === 0 ? [] : [`params: ${json(path)}`]),
        ...(Object.keys(query).length === 0 ? [] : [`queries: ${json(query)}`])
      ].join(", ")} }`
      const first = method === "GET" ? [] : [requestBody === undefined ? "undefined" : json(body)]
      return `api.${operationId}(${[...first, rest].join(", ")})`
    }
  }
]

const programOf = ({ call, head }: Generator, ids: Readonly<Record<string, string>>): string => {
  const lines = operations.map((operation) => {
    const { request, values } = requestOf(document, operation, ids, given[operation.operationId])
    return `  ${operation.operationId}: async () => value(await ${call(operation, values, request.body)}),`
  })
  return `const [url = "", key = ""] = process.argv.slice(2)
${head}
interface Failure { response?: { status: number; data: unknown }; stack?: string }
const calls = {
${lines.join("\n")}
}
for (const [name, call] of Object.entries(calls)) {
  if (${json([...streams])}.includes(name)) continue
  const got = await call().catch((error: Failure) => ({
    status: error?.response?.status ?? 0,
    data: error?.response?.data ?? String(error?.stack ?? error)
  }))
  console.log(JSON.stringify({ name, ...got }))
}
`
}

const Line = z.object({ name: z.string(), status: z.number(), data: z.unknown() })

describe("clients that other generators write", () => {
  const folder = temporaryFolder("generated")
  /** Compilers complain on the standard output. */
  const run = (command: string, args: ReadonlyArray<string>): Promise<string> =>
    new Promise((resolve, reject) =>
      execFile(command, [...args], { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, out, complaints) =>
        error === null ? resolve(out) : reject(new Error(`${error.message}\n${out}\n${complaints}`))
      )
    )
  let server: TestServer
  let listening: Server
  let url: string
  beforeAll(async () => {
    writeFileSync(
      join(folder, "package.json"),
      json({ private: true, type: "module", dependencies: packages })
    )
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"])
    writeFileSync(join(folder, "openapi.json"), documentText())
    const output = { target: "./orval/api.ts", client: "fetch", mode: "single" }
    writeFileSync(join(folder, "orval.config.json"), json({ kanon: { input: "./openapi.json", output } }))
    server = await startServer()
    listening = createServer(toNodeHandler(new H3().use(({ req }) => server.fetch(req))))
    await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done))
    url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    listening.closeAllConnections()
    listening.close()
    await server.close()
  })

  it.each(generators)("calls all operations with $name", async (generator) => {
    const { command, name } = generator
    const { ids, key } = await seedWorkspace(server, name)
    const [program = "", ...args] = command
    await run(join(folder, "node_modules/.bin", program), args)
    writeFileSync(join(folder, `${name}.ts`), programOf(generator, ids))
    const options =
      "--strict --noEmit --skipLibCheck --target es2022 --module esnext --moduleResolution bundler"
    const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"]
    await run(join(root, "node_modules/.bin/tsc"), [...options.split(" "), ...types, `${name}.ts`])
    const lines = await run(join(root, "node_modules/.bin/tsx"), [`${name}.ts`, url, key])
    const answers = lines
      .trim()
      .split("\n")
      .map((line) => Line.parse(JSON.parse(line)))
    expect(answers).toHaveLength(operations.length - streams.size)
    const failed = answers.filter(({ status }) => status < 200 || status > 299)
    expect(Object.fromEntries(failed.map((one) => [one.name, one.status]))).toEqual(refusals)
    for (const one of answers) expect(one.data, one.name).toBeTypeOf("object")
  })
})
