import { parentPort, workerData } from "node:worker_threads"
import type { RdfSource } from "../../core/vocabulary/index.js"
import { parseVocabulary } from "./parse.js"
import type { ParseReply } from "./reader.js"

const source: RdfSource = workerData
const reply = (message: ParseReply): void => parentPort?.postMessage(message)

reply({ ready: true })
reply({ parsed: await parseVocabulary(source) })
