import { parentPort } from "node:worker_threads"
import { lowerPriority } from "../host/lower-priority.js"
import type { BuildReply, BuildRequest } from "./build-worker.js"
import { type BuildSession, buildInPlace } from "./graph-build.js"

// Main program of the thread that builds a graph of nearest neighbours: one session, changed batch by batch.

lowerPriority()

const reply = (message: BuildReply, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(message, [...transfer])

let session: BuildSession | undefined

const answer = async (request: BuildRequest): Promise<void> => {
  if ("start" in request) {
    const { default: library } = await import("hnswlib-node")
    session = await buildInPlace(library, request.start)
    reply({ done: null })
  } else if (session === undefined) {
    throw new Error("A build was not begun.")
  } else if ("change" in request) {
    await session.change(request.change)
    reply({ done: null })
  } else {
    const labels = await session.finish(request.finish)
    reply({ done: labels })
  }
}

parentPort?.on("message", (request: BuildRequest) => {
  answer(request).catch((error: unknown) =>
    reply({ failed: error instanceof Error ? error.message : String(error) })
  )
})
reply({ ready: true })
