import type * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import type { ChatModel } from "../../core/platform/models/index.js"
import { chatModel } from "./ai-sdk-chat.js"
import { optionsOf, type ServerSettings } from "./metered-call.js"
import { ownChatFetch } from "./provider-fetch.js"

/** Settings of a model of Anthropic, or of a server with its protocol; `/messages` is appended to `baseUrl`. */
export type Anthropic = ServerSettings
const ownAddress = "https://api.anthropic.com/v1"

/** Makes a chat model that must reply with one tool call, whose input has the requested schema. */
export const anthropicChat = (settings: Anthropic): Context.Tag.Service<ChatModel> => {
  const { apiKey, baseUrl = ownAddress, fetch = ownChatFetch, model } = settings
  return chatModel(
    model,
    async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic")
      return createAnthropic({
        baseURL: baseUrl.replace(/\/+$/u, ""),
        // When it is undefined, the package would read the host's own key from the environment and send it there.
        apiKey: apiKey === undefined ? "" : Redacted.value(apiKey),
        fetch
      })(model)
    },
    { ...optionsOf(settings), providerOptions: { anthropic: { structuredOutputMode: "jsonTool" } } }
  )
}
