import { parentPort, workerData } from "node:worker_threads"
import { z } from "zod"
import { fitArtefact } from "../../core/retrieval/index.js"
import type { FitReply } from "./fit-worker.js"

const { texts } = z.object({ texts: z.array(z.string()) }).parse(workerData)
const reply = (message: FitReply, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(message, [...transfer])

reply({ ready: true })
const artefact = fitArtefact(texts)
reply({ artefact }, artefact !== null && artefact.buffer instanceof ArrayBuffer ? [artefact.buffer] : [])
