import { parentPort, workerData } from "node:worker_threads"
import { parseContent } from "../../core/files/documents/index.js"
import { type Facts, loadTagger, readFacts } from "../../core/knowledge/extraction/index.js"
import type { LongTextJob, PartsReply } from "./long-texts.js"
import type { OneJobReply } from "./one-job-thread.js"

// Main program of the thread that parses one long text, or reads the facts of one; the job is its start argument.

const job: LongTextJob = workerData
const reply = (message: OneJobReply<PartsReply | Facts>): void => parentPort?.postMessage(message)

const partsOf = (given: Parameters<typeof parseContent>): PartsReply => {
  const { passages, ...rest } = parseContent(...given)
  return { ...rest, passages: JSON.stringify(passages.map(({ text: _text, ...bare }) => bare)) }
}

reply({ ready: true })
if (job.kind === "facts") await loadTagger()
reply({ result: job.kind === "parts" ? partsOf(job.given) : readFacts(...job.given) })
