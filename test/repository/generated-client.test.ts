import { join } from "node:path"
import createClient, { type Client } from "openapi-fetch"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ApiOperation, apiDocument, documentText, operationsOf } from "../../tools/api-document.js"
import { requestOf } from "../support/api-requests.js"
import { schemaChecks } from "../support/api-schemas.js"
import { startServer, type TestServer } from "../support/server.js"
import { root } from "../support/tree.js"
import { type Seed, seedWorkspace } from "../support/workspace-seed.js"

// A client that openapi-typescript generates from our document, used by a program that gives the required fields alone:
// it compiles, a wrong field does not, and what the server sends is what its types say.

/** A call may take so long; streams are left once that their headers are there. */
const callMaxMs = 10_000

const document = apiDocument()
/** Those that end what the others need come last. */
const later: Readonly<Record<string, number>> = { GET: 0, PUT: 1, PATCH: 1, POST: 2, DELETE: 3 }
const operations = [...operationsOf(document)].sort((a, b) => (later[a.method] ?? 0) - (later[b.method] ?? 0))

const isStream = ({ responses }: ApiOperation): boolean =>
  Object.values(responses).some((one) => "content" in one && one.content?.["text/event-stream"] !== undefined)

/** One call as a program writes it. */
const callOf = (operation: ApiOperation, ids: Readonly<Record<string, string>>): string => {
  const { request, values } = requestOf(document, operation, ids, given[operation.operationId])
  const params = Object.entries(values).filter(([, one]) => Object.keys(one).length > 0)
  const parts = [
    ...(params.length === 0 ? [] : [`params: ${JSON.stringify(Object.fromEntries(params))}`]),
    ...(request.body === undefined ? [] : [`body: ${JSON.stringify(request.body)}`]),
    ...(isStream(operation) ? [`parseAs: "stream"`] : [])
  ]
  return `client.${operation.method}("${operation.path}", { ${parts.join(", ")} })`
}

/** Names of what is there, and texts. */
const given: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  getAgent: { slug: "researcher" },
  putAgent: { instructions: "Answer briefly." },
  startRun: { slug: "researcher" }
}

/** Operations that the server refuses with their required fields alone, or in this state of the workspace, by status. */
const refusals: Readonly<Record<string, number>> = {
  approveChangeRequest: 409,
  approveRunStep: 409,
  compareEvals: 409,
  createDataConnector: 400,
  deleteContentConnector: 409,
  deleteRelation: 404,
  listMentions: 400,
  mergeEntity: 400,
  proposeChange: 400,
  restoreFromTrash: 404,
  updateWorkspace: 400,
  withdrawChangeRequest: 409
}

/** A body with a field that the operation does not have. A call infers the type of what it gets, so the type is written out. */
const wrongBody = (operation: ApiOperation): string => {
  const { body } = requestOf(document, operation, seed.ids, given[operation.operationId]).request
  const type = `paths["${operation.path}"]["${operation.method.toLowerCase()}"]["requestBody"]`
  const value = JSON.stringify({ wrong: 1, ...body })
  return `export const ${operation.operationId}: NonNullable<${type}>["content"]["application/json"] = ${value}`
}

const programOf = (lines: ReadonlyArray<string>): string =>
  [
    `import type { Client } from "openapi-fetch"`,
    `import type { paths } from "./generated-api.js"`,
    "export const calls = (client: Client<paths>) => ({",
    ...lines,
    "})"
  ].join("\n")

/** What the compiler says of files that are not on the disk, as `name:line: message`. */
const complaintsOf = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext
  }
  const folder = join(root, "test/repository")
  const texts = new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text]))
  const host = ts.createCompilerHost(options)
  const [exists, read] = [host.fileExists, host.readFile]
  host.fileExists = (file) => texts.has(file) || exists(file)
  host.readFile = (file) => texts.get(file) ?? read(file)
  const program = ts.createProgram([...texts.keys()], options, {
    ...host,
    getSourceFile: (file, language) => {
      const text = texts.get(file)
      return text === undefined
        ? host.getSourceFile(file, language)
        : ts.createSourceFile(file, text, language)
    }
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText, start = 0 }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
    const name = file?.fileName.split("/").at(-1) ?? ""
    return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`
  })
}

interface Answered {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

let server: TestServer
let seed: Seed
let api: string
beforeAll(async () => {
  server = await startServer()
  seed = await seedWorkspace(server, "generated")
  api = astToString(await openapiTS(documentText()))
})
afterAll(() => server.close())

describe("a client generated by openapi-typescript", () => {
  it("takes every operation with its required fields alone, and no field that there is not", () => {
    const required = operations.map(
      (operation) => `  ${operation.operationId}: () => ${callOf(operation, seed.ids)},`
    )
    const withBody = operations.filter(({ requestBody }) => requestBody !== undefined)
    expect(operations).toHaveLength(92)
    const complaints = complaintsOf({
      "generated-api.ts": api,
      "generated-required.ts": programOf(required),
      "generated-wrong.ts": [
        `import type { paths } from "./generated-api.js"`,
        ...withBody.map(wrongBody)
      ].join("\n")
    })
    expect(complaints.filter((one) => !one.startsWith("generated-wrong.ts"))).toEqual([])
    // Line by line: one stands above the bodies.
    const refused = new Set(complaints.map((one) => Number(one.split(":")[1])))
    expect([...refused].sort((a, b) => a - b)).toEqual(withBody.map((_, at) => at + 2))
    for (const one of complaints) expect(one).toMatch(/'"wrong"' does not exist/)
  })

  it("gets from the server what its types say", async () => {
    const lines = operations.map(
      (operation) => `  ${operation.operationId}: () => ${callOf(operation, seed.ids)},`
    )
    const { outputText } = ts.transpileModule(programOf(lines), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 }
    })
    const { calls }: { readonly calls: (client: Client<never>) => Record<string, () => Promise<Answered>> } =
      await import(`data:text/javascript,${encodeURIComponent(outputText)}`)
    const client = createClient<never>({
      baseUrl: "http://kanon.test",
      headers: { authorization: `Bearer ${seed.key}` },
      fetch: (request) => server.fetch(new Request(request, { signal: AbortSignal.timeout(callMaxMs) }))
    })
    const { complaintsOf: misfits } = schemaChecks(document)
    const [complaints, refused]: [Array<string>, Record<string, number>] = [[], {}]
    for (const operation of operations) {
      const { data, error, response } = (await calls(client)[operation.operationId]?.()) ?? never(operation)
      const described = operation.responses[response.status]
      if (described === undefined) {
        complaints.push(`${operation.operationId}: ${response.status} ${JSON.stringify(error)}`)
        continue
      }
      if (isStream(operation)) {
        await response.body?.cancel()
        continue
      }
      if (!response.ok) refused[operation.operationId] = response.status
      const spelled =
        "content" in described || !("$ref" in described)
          ? described
          : document.components.responses[described.$ref.split("/").at(-1) ?? ""]
      const schema = spelled?.content?.["application/json"]?.schema
      if (schema === undefined) complaints.push(`${operation.operationId}: no schema for ${response.status}`)
      else complaints.push(...misfits(schema, data ?? error).map((one) => `${operation.operationId}: ${one}`))
    }
    expect(complaints).toEqual([])
    expect(refused).toEqual(refusals)
  })
})

const never = ({ operationId }: ApiOperation): never => {
  throw new RangeError(`The program has no call of ${operationId}.`)
}
