import { KanonApiError, KanonConnectionError } from "./error.js"
import { readEvents } from "./events.js"
import type { QueryInput, RunEvent, StartRunInput, StructuredAnswer } from "./generated.js"
import type { CallOptions, ClientOptions } from "./types.js"

/** Pauses between attempts to connect again; they double up to the last. */
const [pauseMinMs, pauseMaxMs] = [250, 10_000]

/**
 * The events of a run from its start, until one that ends the stream. A connection that breaks, or that the server closes
 * after ten minutes, is made anew; what was given before is not given again. Leaving the loop closes the connection and
 * does nothing to the run.
 */
export const streamRun = (
  client: ClientOptions,
  { id }: { readonly id: string },
  options: CallOptions = {}
): AsyncGenerator<RunEvent, undefined> => follow(client, options, () => connect(client, id, options), id)

/**
 * Starts a run that is worked on within the request, and gives its events like `streamRun`. A connection that breaks
 * before the first event is not made anew, since that would start another run.
 */
export const startInline = (
  client: ClientOptions,
  { slug, ...body }: InlineRunInput,
  options: CallOptions = {}
): AsyncGenerator<RunEvent, undefined> =>
  follow(
    client,
    options,
    () =>
      openStream(client, options, `/api/v1/agents/${encodeURIComponent(slug)}/runs?stream=inline`, {
        method: "POST",
        body: JSON.stringify({ ...body, stream: undefined })
      }),
    undefined
  )

/** What is known of an answer before it is whole, and last the answer. */
export type AnswerEvent =
  /** A stage begins. */
  | { readonly type: "stage"; readonly name: string }
  /** The sources, as soon as they are chosen. */
  | {
      readonly type: "sources"
      readonly sources: StructuredAnswer["sources"]
      readonly dataCalls: StructuredAnswer["dataCalls"]
    }
  /** A sentence that was checked. A later one of the same index replaces it, and the answer replaces all. */
  | { readonly type: "claim"; readonly index: number; readonly claim: StructuredAnswer["claims"][number] }
  | { readonly type: "answer"; readonly answerId: string | null; readonly answer: StructuredAnswer }

/**
 * Asks, and gives the events of the answer; the last is the answer. Rejects with a KanonApiError where there is none.
 * Leaving the loop stops the question. A connection that breaks is not made anew, since that would ask once more.
 */
export async function* streamQuery(
  client: ClientOptions,
  input: QueryInput,
  options: CallOptions = {}
): AsyncGenerator<AnswerEvent, undefined> {
  const body = JSON.stringify(input)
  const response = await send(client, options, "/api/v1/query", { method: "POST", body })
  if (response.headers.get("content-type")?.startsWith("application/json") === true) {
    // A proxy that passes no Accept on gets the answer alone.
    const answer: StructuredAnswer = JSON.parse(await response.text())
    yield { type: "answer", answerId: response.headers.get("x-answer-id"), answer }
    return
  }
  for await (const { data } of readEvents(bodyOf(response))) {
    const event: AnswerEvent | { readonly type: "error"; readonly status: number } = JSON.parse(data)
    if (event.type === "error")
      throw new KanonApiError({ headers: new Headers(), status: event.status }, event)
    yield event
    if (event.type === "answer") return
  }
  throw new KanonConnectionError("network", "The connection ended before the answer came.")
}

/** Input of a run whose events are the answer. */
export type InlineRunInput = StartRunInput & { readonly stream: "inline" }

async function* follow(
  client: ClientOptions,
  options: CallOptions,
  first: () => Promise<ReadableStream<Uint8Array>>,
  known: string | undefined
): AsyncGenerator<RunEvent, undefined> {
  const given = new Map<string, number>()
  const retries = options.retries ?? client.retries ?? Number.POSITIVE_INFINITY
  let [open, id] = [first, known]
  for (let failures = 0; ; ) {
    const again = new Map(given)
    try {
      for await (const { data } of readEvents(await open())) {
        failures = 0
        const left = again.get(data) ?? 0
        if (left > 0) {
          again.set(data, left - 1)
          continue
        }
        given.set(data, (given.get(data) ?? 0) + 1)
        // A server of the same version says what its documentation promises.
        const event: RunEvent = JSON.parse(data)
        if (event.type !== "error") id = event.runId
        yield event
        if (event.type === "final" || event.type === "suspended" || event.type === "error") return
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof KanonApiError && error.status < 500 && error.status !== 429) throw error
      if (id === undefined) throw error
      failures += 1
      if (failures > retries) throw error
    }
    options.signal?.throwIfAborted()
    if (id === undefined)
      throw new KanonConnectionError("response", "The stream ended before its first event.")
    const run = id
    open = () => connect(client, run, options)
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMaxMs, pauseMinMs * 2 ** failures)))
  }
}

const connect = (client: ClientOptions, id: string, options: CallOptions) =>
  openStream(client, options, `/api/v1/runs/${encodeURIComponent(id)}/stream`, { method: "GET" })

type Sent = { readonly method: "GET" } | { readonly method: "POST"; readonly body: string }

const openStream = async (
  client: ClientOptions,
  options: CallOptions,
  path: string,
  request: Sent
): Promise<ReadableStream<Uint8Array>> => bodyOf(await send(client, options, path, request))

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> => {
  if (body === null) throw new KanonConnectionError("response", "The server sent no stream.")
  return body
}

const send = async (
  client: ClientOptions,
  options: CallOptions,
  path: string,
  request: Sent
): Promise<Response> => {
  const workspaceId = options.workspaceId ?? client.workspaceId
  const given = client.fetch ?? fetch
  let response: Response
  try {
    response = await given(`${client.baseUrl.replace(/\/+$/, "")}${path}`, {
      ...request,
      redirect: "manual",
      headers: {
        ...client.headers,
        accept: "text/event-stream",
        ...(request.method === "POST" ? { "content-type": "application/json" } : {}),
        ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
        ...(workspaceId === undefined ? {} : { "x-workspace-id": workspaceId })
      },
      ...(options.signal === undefined ? {} : { signal: options.signal })
    })
  } catch (error) {
    throw new KanonConnectionError("network", "The server cannot be reached.", { cause: error })
  }
  if (!response.ok) throw new KanonApiError(response, await response.json().catch(() => undefined))
  return response
}
