/**
 * Errors of connections that nobody waits for. A socket that loses its listeners, as one does whose request has ended,
 * still emits an error when the other side breaks the connection; Node then calls it uncaught. Such an error leaves no
 * state of ours half changed, so a server logs it and goes on. Any other uncaught error is a defect and ends the process.
 */
import { visibleJson } from "../../core/platform/kernel/index.js"

/** Codes of the system for a connection that could not be made or broke. */
const systemCodes = new Set([
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETRESET",
  "ENETUNREACH",
  "ENOTCONN",
  "ENOTFOUND",
  "EPIPE",
  "EPROTO",
  "ETIMEDOUT"
])

/** Codes of Node and OpenSSL: an aborted request, a broken handshake, a message that is no HTTP, an early end. */
const nodeCodes =
  /^(?:ABORT_ERR|ERR_(?:TLS|SSL|HTTP2)_\w+|ERR_STREAM_(?:PREMATURE_CLOSE|DESTROYED)|ERR_SOCKET_\w+|HPE_\w+|UND_ERR_\w+|CERT_\w+|(?:\w+_)?SELF_SIGNED_CERT\w*|UNABLE_TO_\w+)$/

/** Whether an uncaught error is one of a connection. An error of our own listening socket or of a file is not. */
export const isConnectionError = (error: unknown): error is Error => {
  if (!(error instanceof Error) || "path" in error) return false
  if (error.name === "AbortError") return true
  const code = codeOf(error)
  const call = "syscall" in error ? error.syscall : undefined
  return (systemCodes.has(code) && call !== "listen" && call !== "bind") || nodeCodes.test(code)
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "")

/** The log line of such an error: its code and where it came from. Its message holds addresses and is left out. */
export const connectionErrorLine = (error: Error): string =>
  visibleJson({
    time: new Date().toISOString(),
    level: "warning",
    message: "A connection broke that nothing waited for",
    code: codeOf(error) || error.name,
    at: (error.stack ?? "")
      .split("\n")
      .filter((line) => /^\s+at /u.test(line))
      .map((line) => line.trim())
      .slice(0, 10)
  })
