import { configureGlobal } from "fast-check"
import { afterAll } from "vitest"
import { removeFolders } from "./folders.js"
import { propertyRuns } from "./runs.js"

// Loaded before every test file.
configureGlobal({ numRuns: propertyRuns })
// The first hook of a file is the last to run: what used the folders is closed by then.
afterAll(removeFolders)
