import type { AskTransport } from "../../../react/index.js"
import {
  KanonApiError,
  KanonConnectionError,
  type QueryInput,
  readEvents
} from "../../../server/client/index.js"
import type { AskEvent } from "../../../server/console/model.js"
import { sendOwn } from "./connection.js"

/** Asks by `POST /console/ask`, which tells its stages and sentences. Leaving ends the question at the server. */
export const askWithStages: AskTransport = async (input: QueryInput, { onEvent, signal }) => {
  const response = await sendOwn("ask", { method: "POST", body: input, signal })
  if (response.body === null) throw new KanonConnectionError("response", "The server sent no stream.")
  for await (const { data } of readEvents(response.body)) {
    const event: AskEvent = JSON.parse(data)
    if (event.type === "error")
      throw new KanonApiError({ headers: response.headers, status: event.status }, event)
    if (event.type === "answer") return { answer: event.answer, answerId: event.answerId }
    onEvent(event)
  }
  throw new KanonConnectionError("network", "The connection ended before the answer came.")
}
