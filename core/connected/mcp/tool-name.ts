import * as Hash from "effect/Hash"
import type { McpServer } from "../../platform/workspace/index.js"

/** Between the names of server and tool; names of servers have no underscore. */
const separator = "__"
/** Most characters of a name that all providers take. */
const nameChars = 64

/**
 * The name by which agents know a tool: other characters than letters, digits, `_` and `-` become `_`. A name that is too
 * long, or that another allowed tool of the server has too, ends in a hash of the tool's own.
 */
export const agentToolName = (server: string, tool: string, { tools }: Pick<McpServer, "tools">): string => {
  const prefix = `${server}${separator}`
  const plain = plainName(tool)
  const isShared =
    plain !== tool && Object.keys(tools).some((other) => other !== tool && plainName(other) === plain)
  if (!isShared && prefix.length + plain.length <= nameChars) return prefix + plain
  const hash = (Hash.string(tool) >>> 0).toString(16).padStart(8, "0")
  return `${prefix}${plain.slice(0, nameChars - prefix.length - hash.length - 1)}_${hash}`
}

const plainName = (tool: string): string => tool.replace(/[^A-Za-z0-9_-]/gu, "_")

/** The server in the name of a tool. */
export const serverOfTool = (name: string): string => name.slice(0, Math.max(0, name.indexOf(separator)))
