import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"

/**
 * Returns the result of a call as JSON for a model: the structured content where there is one, else the texts. Pictures
 * and sounds are named and left out.
 */
export const outputOf = ({ content, structuredContent }: CallToolResult): unknown => {
  if (structuredContent !== undefined) return structuredContent
  const blocks = content.map(blockOf)
  const [only] = blocks
  return blocks.length === 1 ? only : blocks
}

const blockOf = (block: CallToolResult["content"][number]): unknown => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
    case "audio":
      return { type: block.type, mimeType: block.mimeType, omitted: true }
    case "resource":
      return "text" in block.resource
        ? { uri: block.resource.uri, text: block.resource.text }
        : { uri: block.resource.uri, omitted: true }
    case "resource_link":
      return { uri: block.uri, name: block.name }
  }
}
