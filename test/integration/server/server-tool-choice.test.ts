// Descriptions of MCP tools: twenty tasks, and whether a chooser that only compares words takes the right tool.
import { describe, expect, it } from "vitest"
import { catalog } from "../../../server/catalog/index.js"
import { descriptions } from "../../../server/mcp/descriptions.js"
import { shownOperations } from "../../../server/mcp/server.js"
import { toolOf } from "../../../server/mcp/tools.js"
import { keywordChoice, toolTasks } from "../../support/tool-tasks.js"
import { textOf } from "../../support/tree.js"

const hits = (tools: ReadonlyArray<{ readonly name: string; readonly description: string }>): number =>
  toolTasks.filter(({ task, tools: right }) => right.includes(keywordChoice(tools, task) ?? "")).length

describe("descriptions of tools", () => {
  const tools = shownOperations.map(toolOf)

  it("each have one example whose arguments the tool has", () => {
    for (const { description = "", inputSchema, name } of tools) {
      const [, example = ""] = /Example: (\{.*\})\.?$/u.exec(description) ?? []
      const known = Object.keys(inputSchema.properties ?? {})
      expect(known, name).toEqual(expect.arrayContaining(Object.keys(JSON.parse(example))))
    }
    const names = catalog.flatMap(({ tool }) => tool?.name ?? [])
    expect(Object.keys(descriptions).sort()).toEqual(names.sort())
  })

  it("lead a chooser of words to the right tool as often as the page says", () => {
    const summaries = shownOperations.map(({ operation, tool }) => ({
      name: tool.name,
      description: operation.summary
    }))
    const before = hits(summaries)
    const after = hits(tools.map(({ description = "", name }) => ({ name, description })))
    expect(after).toBeGreaterThanOrEqual(19)
    expect(textOf("docs/mcp.md")).toContain(`${before} of ${toolTasks.length} before, ${after} after`)
  })
})
