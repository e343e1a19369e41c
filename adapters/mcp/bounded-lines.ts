import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import { brokenBound, foreignJsonBounds } from "../../core/platform/kernel/index.js"

/** Lines that are no messages, such as logs, after which a program is given up. */
const strayLinesMax = 1_000

/**
 * Takes the place of the read buffer of the SDK's stdio transport, whose methods it has. A line is bounded in bytes, depth
 * and number of values before it is parsed; one that breaks a bound ends the connection.
 */
export class BoundedLines {
  private parts: Array<Buffer> = []
  private size = 0
  private readonly lines: Array<string> = []
  private strayLines = 0

  constructor(
    private readonly maxBytes: number,
    private readonly parse: (line: string) => JSONRPCMessage
  ) {}

  append(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      this.take(chunk.subarray(from, end))
      const line = Buffer.concat(this.parts)
      this.clear()
      const broken = brokenBound(line, foreignJsonBounds)
      if (broken !== null) throw new Error(`A message exceeds the limit of ${broken}.`)
      this.lines.push(line.toString("utf8").replace(/\r$/u, ""))
      from = end + 1
    }
    this.take(chunk.subarray(from))
  }

  /** The next message; throws for a line that is none, as the SDK expects. */
  readMessage(): JSONRPCMessage | null {
    for (let line = this.lines.shift(); line !== undefined; line = this.lines.shift()) {
      // A log line is passed over here, because an error for each takes longer than the line is worth.
      if (line.startsWith("{")) return this.parse(line)
      this.strayLines += 1
    }
    return null
  }

  clear(): void {
    this.parts = []
    this.size = 0
  }

  private take(part: Buffer): void {
    this.size += part.length
    if (this.size > this.maxBytes) throw new Error(`A message has more than ${this.maxBytes} bytes.`)
    if (this.strayLines > strayLinesMax) throw new Error("The program writes lines that are no messages.")
    if (part.length > 0) this.parts.push(part)
  }
}
