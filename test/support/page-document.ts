// A document for React in a test; the files share one process, where other libraries take its globals for a browser's.
import { parseHTML } from "linkedom"
import { afterAll, beforeAll, vi } from "vitest"

/** Gives the tests of one file a `document` and a `window`, and takes them away after the last one. */
export const withPageDocument = () => {
  beforeAll(() => {
    const { document, window } = parseHTML("<!doctype html><html><body></body></html>")
    vi.stubGlobal("document", document)
    vi.stubGlobal("window", window)
    vi.stubGlobal("navigator", { userAgent: "node" })
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true)
  })
  afterAll(() => {
    vi.unstubAllGlobals()
  })
}
