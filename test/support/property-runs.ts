import { configureGlobal } from "fast-check"
import { propertyRuns } from "./runs.js"

// Loaded before every test file.
configureGlobal({ numRuns: propertyRuns })
