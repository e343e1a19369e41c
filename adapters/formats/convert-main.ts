import { Worker } from "node:worker_threads"
import { ConversionError, tooLarge } from "./converted.js"
import { memorySignal } from "./memory-signal.js"
import type { ConversionOutcome, ConversionReply, ConversionRequest } from "./process.js"
import { tasks } from "./tasks.js"
// Nearly every task converts a file, so this is loaded before the process says that it is ready.
import "./convert.js"

/** The most memory that the process may take. */
const memoryMb = Number(process.argv[2])

// A thread of its own sees the memory of the process while a conversion keeps the main thread busy.
const guard = `
  const limit = require("node:worker_threads").workerData
  setInterval(() => process.memoryUsage.rss() > limit && process.kill(process.pid, "${memorySignal}"), 25)
`
new Worker(guard, { eval: true, workerData: memoryMb * 1024 * 1024, execArgv: [] }).unref()

const reply = (outcome: ConversionOutcome): void => {
  const whole: ConversionReply = { outcome, memoryBytes: process.memoryUsage.rss() }
  process.send?.(whole)
}

process.on("message", (request: ConversionRequest) => {
  const task: (input: never) => Promise<unknown> = tasks[request.task]
  task(request.input as never)
    .then(replyResult)
    .catch((error: unknown) => {
      const failure =
        error instanceof ConversionError
          ? { code: error.code, message: error.message }
          : error instanceof RangeError && /call stack/i.test(error.message)
            ? { code: "file_broken" as const, message: "The file is nested too deeply." }
            : { code: "conversion_failed" as const, message: messageOf(error) }
      reply({ failure })
    })
})
/** Items and bytes of one message, about: what the parent reads without being held up. */
const [partItems, partBytes] = [1000, 2 * 1024 * 1024]

/** Characters and bytes of a result that is not sent in parts, at most: four times what a document may hold. */
const resultMax = 20 * 1024 * 1024

/** Sends a result. One that is too large for the parent ends here. */
const replyResult = (result: unknown): void => {
  if (!Array.isArray(result) || result.length === 0) {
    if (sizeOf(result) > resultMax)
      throw tooLarge(`The text of the file takes more than ${resultMax / 1024 / 1024} MiB.`)
    reply({ result })
    return
  }
  let part: Array<unknown> = []
  let bytes = 0
  for (const item of result) {
    part.push(item)
    bytes += sizeOf(item)
    if (part.length < partItems && bytes < partBytes) continue
    reply({ part })
    ;[part, bytes] = [[], 0]
  }
  if (part.length > 0) reply({ part })
  reply({ result: null })
}

/** Characters and bytes of an item, about. */
const sizeOf = (item: unknown): number =>
  typeof item === "string"
    ? item.length
    : item instanceof Uint8Array
      ? item.byteLength
      : typeof item === "object" && item !== null
        ? Object.values(item).reduce<number>((sum, value) => sum + sizeOf(value), 50)
        : 8

process.on("disconnect", () => process.exit(0))
reply({ ready: true })

const messageOf = (error: unknown): string =>
  `The conversion failed: ${(error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200) ?? ""}`
