import { parentPort, workerData } from "node:worker_threads"
import { z } from "zod"
import { fitArtefact } from "../../core/search/vectors/index.js"
import { lowerPriority } from "../host/lower-priority.js"
import type { OneJobReply } from "../host/one-job-thread.js"

// Main program of the thread that fits the built-in vectors to the texts it was started with.

lowerPriority()

const { texts } = z.object({ texts: z.array(z.string()) }).parse(workerData)
const reply = (message: OneJobReply<Uint8Array | null>, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(message, [...transfer])

reply({ ready: true })
const result = fitArtefact(texts)
reply({ result }, result !== null && result.buffer instanceof ArrayBuffer ? [result.buffer] : [])
