import { type JSONRPCMessage, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server"

/**
 * Returns the server with the error code that clients before 2026-07-28 expect for a resource that is not there: the SDK
 * sends that of the new revision in both.
 */
export const withOldNotFound = (server: Server): Server => {
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(asOld(message), options)
    return connect(transport)
  }
  return server
}

const asOld = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!("error" in message) || message.error.code !== ProtocolErrorCode.InvalidParams) return message
  const { data } = message.error
  const isNotFound =
    typeof data === "object" && data !== null && Object.keys(data).length === 1 && "uri" in data
  return isNotFound
    ? { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } }
    : message
}
