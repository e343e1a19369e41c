import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { giveMemoryBack } from "../../../adapters/host/spare-memory.js"

const pieces = 60_000
const pieceBytes = 2048
/** Of so many pieces one stays, at the end of what was taken too. */
const oneIn = 50

/** Takes memory in small pieces and lets most of them go: GNU's allocator keeps the room between those that stay. */
const scattered = (): ReadonlyArray<Uint8Array> => {
  const taken = Array.from({ length: pieces }, () => Buffer.allocUnsafeSlow(pieceBytes).fill(1))
  return taken.filter((_, place) => place % oneIn === oneIn - 1)
}

const collect = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/** Where there is no GNU C library nothing is called, since nothing is kept. */
const isGnu = (): boolean => {
  const { header } = process.report.getReport() as { readonly header: object }
  return "glibcVersionRuntime" in header
}

it("gives what was freed back to the system, from several places at once", async () => {
  const kept = scattered()
  collect()
  // What is given is the library's own word: how much it was depends on whatever else this process does.
  expect(await Promise.all([giveMemoryBack(), giveMemoryBack()])).toEqual([isGnu(), isGnu()])
  expect(kept).toHaveLength(pieces / oneIn)
})
