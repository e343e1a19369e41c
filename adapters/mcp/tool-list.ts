import type { Client } from "@modelcontextprotocol/client"
import { z } from "zod"
import type { OfferedTool, OfferedTools } from "../../core/connected/mcp/index.js"

/** Most tools and pages that one server may list, and how long listing all of them may take. */
const toolsMax = 1_000
const pagesMax = 50
const listMs = 10_000

/** A page whose tools are looked at one by one: one that nobody can call spoils no other. */
const Page = z.object({
  tools: z.array(z.unknown()),
  nextCursor: z.string().max(10_000).optional().catch(undefined)
})
const Named = z.object({ name: z.string().min(1).max(200) })
const Described = z.object({
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown())
})

/** Lists without the SDK's own method, which compiles the schemas of a stranger and refuses all tools for one. */
export const listTools = async (client: Client, signal: AbortSignal): Promise<OfferedTools> => {
  const tools: Array<OfferedTool> = []
  const leftOut = new Map<string, string>()
  const stopSignal = AbortSignal.any([signal, AbortSignal.timeout(listMs)])
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < pagesMax && tools.length < toolsMax; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const given = await client.request({ method: "tools/list", params }, Page, {
      // The SDK never takes its listener off a signal.
      signal: AbortSignal.any([stopSignal]),
      timeout: listMs
    })
    for (const one of given.tools.slice(0, toolsMax - tools.length)) {
      const named = Named.safeParse(one)
      if (!named.success) continue
      const { name } = named.data
      const described = Described.safeParse(one)
      if (described.success)
        tools.push({
          name,
          description: described.data.description ?? "",
          inputSchema: described.data.inputSchema
        })
      else leftOut.set(name, "its server gives no inputSchema for it")
    }
    cursor = given.nextCursor
    if (cursor === undefined || seen.has(cursor)) break
    seen.add(cursor)
  }
  return { tools, leftOut }
}
