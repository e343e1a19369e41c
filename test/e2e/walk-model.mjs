// A chat model of the OpenAI protocol for the walk; prints its port. It calls the first tool that it is offered, says so
// once the tool has answered, and never answers a question with "Wait".
import { createServer } from "node:http"

const replyTo = ({ messages, tools = [] }) => {
  const [tool] = tools
  if (tool === undefined || messages.some(({ role }) => role === "tool"))
    return { message: { role: "assistant", content: "It is written." }, finish_reason: "stop" }
  const given = JSON.stringify({ path: "walk/written.md", content: "# Written\n\nBy an agent.\n" })
  const call = { id: "call_1", type: "function", function: { name: tool.function.name, arguments: given } }
  return { message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" }
}

const server = createServer(async (incoming, outgoing) => {
  let text = ""
  for await (const part of incoming.setEncoding("utf8")) text += part
  const request = JSON.parse(text)
  if (JSON.stringify(request.messages).includes("Wait")) return
  outgoing.setHeader("content-type", "application/json")
  outgoing.end(
    JSON.stringify({
      id: "c1",
      object: "chat.completion",
      created: 1,
      model: request.model,
      choices: [{ index: 0, ...replyTo(request) }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    })
  )
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
