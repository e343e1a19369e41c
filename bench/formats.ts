import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { convertHere } from "../adapters/formats/convert.js"
import { builtModule } from "./built.js"
import { familyCpuMs } from "./measure.js"
import type { RunBench, Size } from "./result.js"

const folder = fileURLToPath(new URL("../test/fixtures/formats/", import.meta.url))
const formats = ["html", "pdf", "docx", "pptx", "xlsx", "csv", "eml", "epub", "odt", "txt"]
const roundsWanted: Readonly<Record<Size, number>> = { small: 1, default: 10, full: 40 }

/**
 * Files a second of CPU time through the child process, that of both processes together, beside the same libraries
 * called in this process without limits.
 */
export const formatsBench: RunBench = async ({ report, size }) => {
  // As users run it: from the sources, a loader would compile each process that converts files.
  const built: typeof import("../adapters/formats/index.js") = await import(
    builtModule("adapters/formats/index.js").href
  )
  const converter = await built.openConverter({ processes: 1 })
  const rounds = roundsWanted[size]
  for (const format of formats) {
    const files = readdirSync(`${folder}/${format}`).map((name) => ({
      name,
      bytes: new Uint8Array(readFileSync(`${folder}/${format}/${name}`))
    }))
    const perSecond = async (convert: (file: (typeof files)[number]) => Promise<unknown>) => {
      const before = familyCpuMs()
      for (let round = 0; round < rounds; round++) for (const file of files) await convert(file)
      return (files.length * rounds * 1000) / Math.max(1, familyCpuMs() - before)
    }
    // Libraries are loaded before anything is timed.
    for (const file of files) await Promise.all([converter.convert(file), convertHere(file)])
    const floor = await perSecond((file) => convertHere(file))
    // A process that had nothing to do meanwhile has ended.
    for (const file of files) await converter.convert(file)
    const ours = await perSecond((file) => converter.convert(file))
    report({
      metric: `${format}, CPU`,
      ours,
      floor,
      n: files.length * rounds,
      unit: "files/s",
      peer: "the libraries in this process",
      target: ">= 0.5"
    })
  }
  await converter.close()
}
