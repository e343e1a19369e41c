import { z } from "zod"
import { guardedFetch, replyLimits, vectorLimits } from "./guarded-fetch.js"

/**
 * For models of the host's own configuration, which is trusted, so private addresses are allowed; responses are limited
 * nevertheless.
 */
export const ownChatFetch = guardedFetch({ privateAddresses: true, ...replyLimits })
export const ownVectorFetch = guardedFetch({ privateAddresses: true, ...vectorLimits })

/** An error in a response with a success status. A retry has the same result, and the provider is there. */
class RequestRefusedByProvider extends Error {
  override readonly name = "RequestRefusedByProvider"
  constructor(
    message: string,
    readonly statusCode: number
  ) {
    super(message)
  }
}

const Fields = z.record(z.string(), z.unknown())
const List = z.array(z.unknown())

/**
 * Brings replies of chat completions into the form that the package reads, because one odd call would spoil the whole
 * reply: a call without arguments or with an object, without an id, or with that of another call; content in parts; usage
 * that is no number. An error in a response of status 200 is thrown with its message.
 */
export const tolerantOfReplies =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !/\bjson\b/iu.test(response.headers.get("content-type") ?? "")) return response
    const text = await response.text()
    const { headers, status } = response
    return new Response(mendedText(text), { status, headers })
  }

const mendedText = (text: string): string => {
  const reply = Fields.safeParse(parsed(text)).data
  if (reply === undefined) return text
  const refused = errorIn(reply)
  if (refused !== null) throw refused
  const { choices, usage } = reply
  const mended: Record<string, unknown> = { ...reply, usage: countsIn(usage) }
  const list = List.safeParse(choices)
  if (list.success) mended["choices"] = list.data.map(mendedChoice)
  return JSON.stringify(mended)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error that a reply holds in place of choices; its code is a status at some routers. */
const errorIn = ({ choices, error }: z.infer<typeof Fields>): Error | null => {
  if (error === undefined || error === null || (Array.isArray(choices) && choices.length > 0)) return null
  const { code, message } = Fields.safeParse(error).data ?? { message: error, code: null }
  const messageText = typeof message === "string" ? message : "an error without a message"
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : 200
  return new RequestRefusedByProvider(messageText, status)
}

const countsIn = (usage: unknown): unknown => {
  const fields = Fields.safeParse(usage).data
  if (fields === undefined) return undefined
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        (typeof value === "number" && value >= 0) || (typeof value === "object" && value !== null)
    )
  )
}

const mendedChoice = (choice: unknown): unknown => {
  const fields = Fields.safeParse(choice).data
  const message = Fields.safeParse(fields?.["message"]).data
  if (fields === undefined || message === undefined) return choice
  const calls = List.safeParse(message["tool_calls"]).data
  const { content } = message
  return {
    ...fields,
    message: {
      ...message,
      content: Array.isArray(content) ? content.map(textOf).join("") : content,
      ...(calls === undefined ? { tool_calls: undefined } : { tool_calls: mendedCalls(calls) })
    }
  }
}

const textOf = (part: unknown): string => {
  const text = typeof part === "string" ? part : Fields.safeParse(part).data?.["text"]
  return typeof text === "string" ? text : ""
}

const mendedCalls = (calls: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const ids = new Set<string>()
  return calls.map((call, at) => {
    const fields = Fields.safeParse(call).data ?? {}
    const callFields = Fields.safeParse(fields["function"]).data ?? {}
    const { arguments: given, name } = callFields
    const wanted = fields["id"]
    const id =
      typeof wanted === "string" && wanted !== "" && !ids.has(wanted) ? wanted : `call_${at}_${ids.size}`
    ids.add(id)
    return {
      ...fields,
      id,
      type: "function",
      function: {
        ...callFields,
        name: typeof name === "string" ? name : "",
        arguments: typeof given === "string" ? given : JSON.stringify(given ?? {})
      }
    }
  })
}
