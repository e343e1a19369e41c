import { KanonApiError, KanonConnectionError } from "./error.js"
import { readEvents } from "./events.js"
import type { CallOptions, ClientOptions } from "./types.js"

/** An event of a run's stream. */
export type RunStreamEvent =
  | {
      readonly type: "model_call"
      readonly runId: string
      readonly textLength: number
      readonly toolCalls: number
    }
  | { readonly type: "tool_call"; readonly runId: string; readonly name: string; readonly ok: boolean }
  | {
      readonly type: "final"
      readonly runId: string
      readonly status: "succeeded" | "failed" | "budget_exceeded" | "interrupted"
      readonly text: string | null
      readonly citations: ReadonlyArray<{ readonly docId: string; readonly chunkId: string }>
    }
  | {
      readonly type: "suspended"
      readonly runId: string
      readonly approvalId: string
      readonly toolName: string
    }
  | { readonly type: "error"; readonly message: string }

/** Pauses between attempts to connect again; they double up to the last. */
const [pauseMinMs, pauseMaxMs] = [250, 10_000]

/**
 * The events of a run from its start, until one that ends the stream. A connection that breaks, or that the server closes
 * after ten minutes, is made anew; what was given before is not given again. Leaving the loop closes the connection and
 * does nothing to the run.
 */
export async function* streamRun(
  client: ClientOptions,
  { id }: { readonly id: string },
  options: CallOptions = {}
): AsyncGenerator<RunStreamEvent, undefined> {
  const given = new Map<string, number>()
  const retries = options.retries ?? client.retries ?? Number.POSITIVE_INFINITY
  for (let failures = 0; ; ) {
    const again = new Map(given)
    try {
      for await (const { data } of readEvents(await connect(client, id, options))) {
        failures = 0
        const left = again.get(data) ?? 0
        if (left > 0) {
          again.set(data, left - 1)
          continue
        }
        given.set(data, (given.get(data) ?? 0) + 1)
        // A server of the same version says what its documentation promises.
        const event: RunStreamEvent = JSON.parse(data)
        yield event
        if (event.type === "final" || event.type === "suspended" || event.type === "error") return
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof KanonApiError && error.status < 500 && error.status !== 429) throw error
      failures += 1
      if (failures > retries) throw error
    }
    options.signal?.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMaxMs, pauseMinMs * 2 ** failures)))
  }
}

const connect = async (
  client: ClientOptions,
  id: string,
  options: CallOptions
): Promise<ReadableStream<Uint8Array>> => {
  const workspaceId = options.workspaceId ?? client.workspaceId
  const send = client.fetch ?? fetch
  let response: Response
  try {
    response = await send(
      `${client.baseUrl.replace(/\/+$/, "")}/api/v1/runs/${encodeURIComponent(id)}/stream`,
      {
        method: "GET",
        redirect: "manual",
        headers: {
          ...client.headers,
          accept: "text/event-stream",
          ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
          ...(workspaceId === undefined ? {} : { "x-workspace-id": workspaceId })
        },
        ...(options.signal === undefined ? {} : { signal: options.signal })
      }
    )
  } catch (error) {
    throw new KanonConnectionError("network", "The server cannot be reached.", { cause: error })
  }
  if (!response.ok) throw new KanonApiError(response, await response.json().catch(() => undefined))
  if (response.body === null) throw new KanonConnectionError("response", "The server sent no stream.")
  return response.body
}
