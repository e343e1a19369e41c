/**
 * Tools of the MCP servers that a workspace allows: which agents may be given, how their descriptions are shown, and how
 * they are called. Connections are made by an adapter.
 */
export { callMcpTool, checkMcpArguments, type McpTool, mcpTools } from "./service.js"
export * from "./store.js"
