import { parentPort, workerData } from "node:worker_threads"
import type { RdfSource } from "../../core/knowledge/vocabulary/index.js"
import type { OneJobReply } from "../host/one-job-thread.js"
import { type Parsed, parseVocabulary } from "./parse.js"

// Main program of the thread that parses one vocabulary; the source is its start argument.

const source: RdfSource = workerData
const reply = (message: OneJobReply<Parsed>): void => parentPort?.postMessage(message)

reply({ ready: true })
reply({ result: await parseVocabulary(source) })
