/** A message of an event stream. */
export interface ServerSentEvent {
  /** `message` by default. */
  readonly type: string
  readonly data: string
  /** The last event id of the stream; empty without one. */
  readonly id: string
}

/**
 * Reads the messages of a `text/event-stream` as the HTML standard says: skips comments, accepts CR, LF or both as
 * line ends, and drops an incomplete message. Leaving the loop closes the stream.
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>
): AsyncGenerator<ServerSentEvent, undefined> {
  let [data, type, id]: [Array<string>, string, string] = [[], "", ""]
  for await (const line of linesOf(stream)) {
    if (line === "") {
      if (data.length > 0) yield { type: type === "" ? "message" : type, data: data.join("\n"), id }
      data = []
      type = ""
      continue
    }
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "data") data.push(value)
    if (field === "event") type = value
    if (field === "id" && !value.includes("\0")) id = value
  }
}

/** Yields complete lines; a trailing CR waits for a possible LF. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        if (rest.endsWith("\r")) yield rest.slice(0, -1)
        return
      }
      rest += decoder.decode(value, { stream: true })
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ""
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
