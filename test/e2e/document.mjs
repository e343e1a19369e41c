// Reads the OpenAPI document for the walk. `operations FILE` prints a line for each operation: its method, a path with
// ids that nothing has, and whether it takes a body. `judge FILE SEEN` compares the answers that were seen (method,
// path, status and code, a line each) with the document.
import { readFileSync } from "node:fs"

const print = (line) => process.stdout.write(`${line}\n`)
const [task, file, seenFile] = process.argv.slice(2)
const document = JSON.parse(readFileSync(file, "utf8"))
const resolve = (value) =>
  value?.$ref === undefined
    ? value
    : resolve(
        value.$ref
          .split("/")
          .slice(1)
          .reduce((inner, name) => inner[name], document)
      )

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path }))
)

/** An id of the right form that nothing has. */
const unknownId = ({ parameters = [] }, name) => {
  const parameter = parameters.map(resolve).find((one) => one.name === name)
  const prefix = /^\^([a-z]+)_/.exec(resolve(parameter?.schema)?.pattern ?? "")?.[1]
  return prefix === undefined ? "1" : `${prefix}_00000000000000000000000000`
}

const list = () => {
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{([a-zA-Z]+)\}/g, (_, name) => unknownId(operation, name))
    const query = (operation.parameters ?? [])
      .map(resolve)
      .filter((one) => one.in === "query" && one.required === true)
      .map((one) => `${one.name}=${unknownId(operation, one.name)}`)
    const target = query.length === 0 ? path : `${path}?${query.join("&")}`
    print(`${operation.method} ${target} ${operation.requestBody === undefined ? "none" : "body"}`)
  }
}

/** The codes of an error response, or none where it is no error. */
const codesOf = (response) => Object.keys(resolve(response).content?.["application/json"]?.examples ?? {})

/** Literal segments win, as in the router. */
const operationAt = (method, path) => {
  const parts = path.split("?")[0].split("/")
  const fits = operations.filter((one) => {
    const wanted = one.path.split("/")
    return (
      one.method === method &&
      wanted.length === parts.length &&
      wanted.every((part, place) => part === parts[place] || part.startsWith("{"))
    )
  })
  return fits.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0]
}

/**
 * Answers that a walk over files of one machine does not meet; test/integration/postgres/postgres-restart covers them.
 */
const elsewhere = new Set(["503 busy", "503 database_unavailable"])

const judge = () => {
  const seen = new Set()
  for (const line of readFileSync(seenFile, "utf8").trim().split("\n")) {
    const [method, path, status, code] = line.split(" ")
    const operation = operationAt(method, path)
    if (operation !== undefined) seen.add(`${operation.operationId} ${status} ${code}`)
  }
  const documented = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const codes = Number(status) >= 400 ? codesOf(response) : ["-"]
      return codes.map((code) => ({ operationId, status, code, name: `${operationId} ${status} ${code}` }))
    })
  )
  const isSeen = ({ name }) => seen.has(name)
  const kinds = [...new Set(documented.map(({ code, status }) => `${status} ${code}`))].sort()
  const unseenKinds = kinds.filter(
    (kind) =>
      !elsewhere.has(kind) && !documented.some((one) => `${one.status} ${one.code}` === kind && isSeen(one))
  )
  const unseen = documented.filter((one) => !isSeen(one))
  const undocumented = [...seen].filter((name) => !documented.some((one) => one.name === name))
  const succeeds = ({ operationId }) =>
    !unseen.some((one) => one.operationId === operationId && Number(one.status) < 300)
  const missing = operations.filter((one) => !succeeds(one))
  print(
    `seen of ${documented.length} documented answers of ${operations.length} operations: ${documented.length - unseen.length}`
  )
  for (const kind of kinds) {
    const count = documented.filter((one) => `${one.status} ${one.code}` === kind)
    print(`  ${kind}: ${count.filter(isSeen).length} of ${count.length}`)
  }
  print("not seen:")
  for (const { name } of unseen) print(`  ${name}`)
  const problems = [
    ...unseenKinds.map((kind) => `No operation was seen to answer ${kind}.`),
    ...missing.map(({ operationId }) => `${operationId} was not seen to succeed.`),
    ...undocumented.map((name) => `Not in the document: ${name}`)
  ]
  for (const problem of problems) print(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (task === "operations") list()
else judge()
