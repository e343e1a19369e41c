import { expect, it } from "vitest"
import { wordNet } from "../../../core/language/word-relations/wordnet.js"
import { blocks } from "../../../core/language/word-relations/wordnet-extract.js"

/** The first look-up takes about one millisecond, because it decodes the blocks of its words alone. */
const cpuMsMax = 15
const bytesMax = 6 * 1024 * 1024

it("the extract of WordNet is ready within little time and memory", () => {
  const before = { cpu: process.cpuUsage(), heap: process.memoryUsage().heapUsed }
  expect(wordNet().areSame("car", "automobile")).toBe(true)
  const { system, user } = process.cpuUsage(before.cpu)
  expect((system + user) / 1000).toBeLessThan(cpuMsMax)
  expect(process.memoryUsage().heapUsed - before.heap + blocks.length).toBeLessThan(bytesMax)
})
