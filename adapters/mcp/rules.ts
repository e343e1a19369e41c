import { z } from "zod"
import type { McpRefusal } from "../../core/connected/mcp/index.js"
import type { McpServer } from "../../core/platform/workspace/index.js"
import type { AddressRules } from "../host/addresses.js"
import { refusalOf } from "../models/guarded-fetch.js"

/** MCP servers that the host allows. */
export interface McpRules extends AddressRules {
  /** Whole command lines: the program with all its arguments, as a list or separated by blanks. */
  readonly commands: ReadonlyArray<string | ReadonlyArray<string>>
  /** Names of the environment variables that a workspace may set for a program. */
  readonly environment: ReadonlyArray<string>
}

/** Why the host allows no server at an address. */
export const privateAddress =
  "The address is in a private network, and this host allows MCP servers in public networks only"

/** Why the host allows no server with such a credential; null where it does. */
export const refusal = (
  server: McpServer,
  credentialNames: ReadonlyArray<string>,
  { commands, environment, privateAddresses }: McpRules
): McpRefusal | null => {
  if (server.transport === "http") {
    const message = refusalOf(server.url, { privateAddresses, refusal: privateAddress })
    return message === null ? null : { field: ["url"], message }
  }
  const commandLine = JSON.stringify([server.command, ...server.args])
  if (!commands.some((allowed) => JSON.stringify(wordsOf(allowed)) === commandLine))
    return {
      field: ["command"],
      message: "This host does not allow the command of the MCP server with these arguments (mcpCommands)"
    }
  const foreign = credentialNames.find((name) => !environment.includes(name))
  return foreign === undefined
    ? null
    : {
        field: ["credential", foreign],
        message: "This host does not allow a workspace to set this environment variable (mcpEnvironment)"
      }
}

const wordsOf = (command: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof command === "string" ? command.trim().split(/\s+/u) : command

const Commands = z.array(z.union([z.string(), z.array(z.string())]))

/**
 * Reads command lines from a setting: separated by commas, or a JSON list of command lines and lists of words, where an
 * argument has a comma or a blank. A list that is no JSON allows nothing.
 */
export const commandsIn = (text: string): McpRules["commands"] => {
  if (!text.trim().startsWith("["))
    return text
      .split(",")
      .map((command) => command.trim())
      .filter((command) => command !== "")
  try {
    return Commands.catch([]).parse(JSON.parse(text))
  } catch {
    return []
  }
}
