import { type DataFault, type FaultTag, faultCodes } from "../../core/platform/kernel/index.js"
import { placeOf, type Row } from "../catalog/row.js"
import { faultStatuses, notFound } from "./errors.js"

type Entry = readonly [status: number, code: string, when: string]

/** Faults that every operation may return, or that result from the input. */
type Common =
  | "InvalidInput"
  | "InvalidExport"
  | "ImportUnfinished"
  | "Unauthorized"
  | "InsufficientScope"
  | "WorkspaceForbidden"
  | "WorkspaceRequired"
  | DataFault["_tag"]

/** When an operation fails with one of the other faults. */
const documented: Readonly<Record<Exclude<FaultTag, Common>, string>> = {
  NotFound: "Unknown, deleted, or another workspace's.",
  Conflict: "A live object holds that name, path or edge, or another caller was faster.",
  InvalidTransition: "The present state has no such way out.",
  NotOpen: "It was decided already.",
  ReviewerRequired:
    "The entity has an owner or stewards, or the document a verifier, and the caller is none of them.",
  NoModelConfigured: "No chat model is enabled.",
  ModelUnavailable: "The chat model cannot be reached.",
  SpendCapExceeded: "Agents and evaluation runs have spent what they may spend in this month.",
  RunCapacityFull: "As many runs are active as the workspace allows.",
  VaultUnavailable: "The files of the workspace cannot be read or written.",
  SecretsUnavailable: "The server has no master key to seal credentials with.",
  ConnectorDisabled: "The named query or the connector is disabled.",
  InvalidParams: "Parameters of the named query are missing or invalid.",
  ConnectorUnreachable: "The live database cannot be reached, or went away.",
  QueryFailed: "The live database, or the guard in front of it, refused the query.",
  QueryTimeout: "The time limit of the connector stopped the query."
}

const undeclaredMeaning = "There is no such query parameter; `issues` has the nearest name."

/** Responses that are the same everywhere, by component name. */
const common = {
  BadParameter: [[400, "invalid_params", undeclaredMeaning]],
  Unauthorized: [[401, "unauthorized", "No valid key."]],
  Forbidden: [
    [403, "insufficient_scope", "The key lacks the scope."],
    [403, "workspace_forbidden", "The key gives no access to that workspace."]
  ],
  NotFound: [[404, "not_found", "Unknown, deleted, or another workspace's."]],
  RequestTimeout: [[408, "request_timeout", "The body did not arrive in time."]],
  PayloadTooLarge: [[413, "payload_too_large", "The body is over the limit."]],
  UnsupportedMediaType: [[415, "unsupported_media_type", "The body is not JSON."]],
  Unavailable: [
    [503, "busy", "Others hold the database for too long; nothing was changed."],
    [503, "database_unavailable", "The database is away; the message says whether anything may have changed."]
  ],
  Internal: [[500, "internal", "A bug; the request's id leads to the log."]]
} as const satisfies Readonly<Record<string, ReadonlyArray<Entry>>>

const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  conflict: { message: "There is one already.", existingId: "doc_01kjq3x8wefm5v2n7c4t9dbhga" },
  internal: { requestId: "0b6f2f4e-5d0c-4a53-9d4e-0a7a5d0d6a11" },
  invalid_body: {
    message: "question: Too small: expected string to have >=1 characters",
    issues: [
      { path: ["question"], code: "too_small", message: "Too small: expected string to have >=1 characters" }
    ]
  },
  not_found: { message: notFound.body.message }
}

const response = (entries: ReadonlyArray<Entry>) => {
  const lines = [...new Map(entries.map(([, code, when]) => [code, `\`${code}\`: ${when}`])).values()]
  const [status] = entries[0] ?? [0]
  return {
    description: lines.join(" "),
    headers: {
      "x-request-id": { $ref: "#/components/headers/RequestId" },
      ...(status === 503 || status === 429
        ? { "retry-after": { $ref: "#/components/headers/RetryAfter" } }
        : {}),
      ...(status === 401 ? { "www-authenticate": { $ref: "#/components/headers/Challenge" } } : {})
    },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorEnvelope" },
        examples: Object.fromEntries(
          entries.map(([, code, when]) => [
            code,
            { value: { error: code, ...(examples[code] ?? { message: when }) } }
          ])
        )
      }
    }
  }
}

/** Returns the shared response components. */
export const errorResponses = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(common).map(([name, entries]) => [name, response(entries)]))

const refTo = (name: keyof typeof common) => ({ $ref: `#/components/responses/${name}` })

const isDocumented = (tag: FaultTag): tag is keyof typeof documented => tag in documented

/** Returns every error response of an operation by status. */
export const errorsOf = (row: Row): Readonly<Record<string, unknown>> => {
  const names = Object.keys(row.operation.input.shape)
  const places = names.map((name) => placeOf(row, name))
  const hasBody = row.method !== "GET" && row.method !== "DELETE"
  const entries: ReadonlyArray<Entry> = [
    ...(hasBody ? [[400, "invalid_body", "The body breaks its schema; `issues` says where."] as const] : []),
    ...(places.includes("query")
      ? [[400, row.badParameter, "A query parameter is out of range or of the wrong type."] as const]
      : []),
    ...(places.includes("path")
      ? [[400, row.badParameter, "A parameter has the wrong form or holds a NUL."] as const]
      : []),
    [400, "invalid_params", undeclaredMeaning],
    [400, "workspace_required", "The key reaches several workspaces, and none is named."],
    ...row.operation.faults.flatMap((tag) => {
      const status = faultStatuses[tag]
      return isDocumented(tag) && status !== 404 ? [[status, faultCodes[tag], documented[tag]] as const] : []
    })
  ]
  const own503 = entries.filter(([status]) => status === 503)
  const mayMiss = places.includes("path") || row.operation.faults.includes("NotFound")
  return {
    ...Object.fromEntries(
      [...new Set(entries.map(([status]) => status))].map((status) => [
        status,
        response(entries.filter(([one]) => one === status))
      ])
    ),
    401: refTo("Unauthorized"),
    403: refTo("Forbidden"),
    ...(mayMiss ? { 404: refTo("NotFound") } : {}),
    ...(hasBody
      ? { 408: refTo("RequestTimeout"), 413: refTo("PayloadTooLarge"), 415: refTo("UnsupportedMediaType") }
      : {}),
    500: refTo("Internal"),
    503: own503.length === 0 ? refTo("Unavailable") : response([...own503, ...common.Unavailable])
  }
}

/** Schema of every error body. */
export const errorEnvelope = {
  type: "object",
  description: "What every failed request is answered with.",
  required: ["error"],
  properties: {
    error: { type: "string", description: "A code to branch on." },
    message: { type: "string", description: "A text to show." },
    existingId: { type: "string", description: "What stands in the way of a `conflict`." },
    issues: {
      type: "array",
      description:
        "What is wrong with the body, where `error` is `invalid_body`, and which query parameters do not exist.",
      items: { $ref: "#/components/schemas/Issue" }
    },
    requestId: {
      type: "string",
      description: "The request in the server's log, where `error` is `internal`."
    },
    dataCallId: {
      type: "string",
      description: "The data call that records an execution of a named query which gave no rows."
    }
  }
}

export const issue = {
  type: "object",
  description: "One thing wrong with an input.",
  required: ["path", "code", "message"],
  properties: {
    path: {
      type: "array",
      description: "Leads to the field from the root of the input.",
      items: { type: ["string", "integer"] }
    },
    code: { type: "string" },
    message: { type: "string" }
  }
}
