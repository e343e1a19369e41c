import { setTimeout as sleep } from "node:timers/promises"
import type { EndedSpan } from "../../adapters/host/span-tracer.js"
import { encode } from "./otlp.js"

export interface ExporterOptions {
  /** Complete URL for traces: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Attributes of this process, sent with every batch. */
  readonly resource: Readonly<Record<string, string>>
  /** How long spans are collected per batch; default one second. */
  readonly delayMs?: number
  /** Called once when the collector becomes unreachable, and once when it is reachable again. */
  readonly note: (level: "info" | "warning", message: string) => void
}

/** Sends spans to a collector in the background. */
export interface Exporter {
  readonly put: (span: EndedSpan) => void
  /** Sends the remaining spans, within two seconds. */
  readonly close: () => Promise<void>
}

/** Maximum queued spans, and spans per batch; defaults of the OpenTelemetry specification. */
const [queueMax, batchMax] = [2048, 512]
const [usualDelayMs, postMs, closeMs] = [1_000, 10_000, 2_000]
const [backOffMs, backOffMaxMs] = [1_000, 60_000]

/**
 * Posts spans as OTLP/HTTP in JSON, one batch at a time. If the collector is unreachable, spans beyond a bounded
 * queue are dropped; no request ever waits.
 */
export const otlpExporter = (options: ExporterOptions): Exporter => {
  const { delayMs = usualDelayMs, headers, note, resource, url } = options
  const queue: Array<EndedSpan> = []
  const stop = new AbortController()
  let failures = 0
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Sends a batch; returns whether it is finished: accepted, or rejected permanently. */
  const post = async (batch: ReadonlyArray<EndedSpan>): Promise<boolean> => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(encode(batch, resource)),
        signal: AbortSignal.any([AbortSignal.timeout(postMs), stop.signal])
      })
      await response.arrayBuffer()
      if (response.ok) return onSuccess()
      onFailure(`it answers ${response.status}`)
      return ![429, 502, 503, 504].includes(response.status)
    } catch {
      onFailure("it cannot be reached")
      return false
    }
  }
  const onSuccess = (): true => {
    if (failures > 0) note("info", "The trace collector is reachable again.")
    failures = 0
    return true
  }
  const onFailure = (why: string): void => {
    if (failures === 0) note("warning", `Traces are not exported: ${why}.`)
    failures += 1
  }

  const send = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchMax)
      // Spans of the batch stay in the queue until it is finished, so that the queue stays bounded.
      const isDone = await post(batch)
      if (isDone) queue.splice(0, batch.length)
      if (failures > 0) return
    }
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    sending ??= send().finally(() => {
      sending = undefined
      if (queue.length > 0 && !stop.signal.aborted) wake()
    })
    return sending
  }
  const wake = (): void => {
    const wait = failures === 0 ? delayMs : Math.min(backOffMs * 2 ** (failures - 1), backOffMaxMs)
    timer ??= setTimeout(() => void flush(), wait).unref()
  }

  return {
    put: (span) => {
      if (queue.length >= queueMax || stop.signal.aborted) return
      queue.push(span)
      if (queue.length >= batchMax && failures === 0) void flush()
      else wake()
    },
    close: async () => {
      await Promise.race([flush().then(() => flush()), sleep(closeMs, undefined, { ref: false })])
      stop.abort()
      clearTimeout(timer)
    }
  }
}
