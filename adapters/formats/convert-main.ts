import { Worker } from "node:worker_threads"
import { convertHere } from "./convert.js"
import { ConversionError } from "./converted.js"
import type { ConversionOutcome, ConversionReply, ConversionRequest } from "./process.js"

/** The most memory that the process may take. */
const memoryMb = Number(process.argv[2])

// A thread of its own sees the memory of the process while a conversion keeps the main thread busy.
const guard = `
  const limit = require("node:worker_threads").workerData
  setInterval(() => process.memoryUsage.rss() > limit && process.kill(process.pid, "SIGKILL"), 25)
`
new Worker(guard, { eval: true, workerData: memoryMb * 1024 * 1024, execArgv: [] }).unref()

const reply = (outcome: ConversionOutcome): void => {
  const whole: ConversionReply = { outcome, memoryBytes: process.memoryUsage.rss() }
  process.send?.(whole)
}

process.on("message", (request: ConversionRequest) => {
  convertHere(request.file).then(
    (converted) => reply({ converted }),
    (error: unknown) => {
      const failure =
        error instanceof ConversionError
          ? { code: error.code, message: error.message }
          : error instanceof RangeError && /call stack/i.test(error.message)
            ? { code: "file_broken" as const, message: "The file is nested too deeply." }
            : { code: "conversion_failed" as const, message: messageOf(error) }
      reply({ failure })
    }
  )
})
process.on("disconnect", () => process.exit(0))
reply({ ready: true })

const messageOf = (error: unknown): string =>
  `The conversion failed: ${(error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200) ?? ""}`
