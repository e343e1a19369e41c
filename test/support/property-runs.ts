import { propertyRuns } from "./runs.js"

// Loaded before every test file; fast-check only comes along when somebody asked for longer runs.
if (propertyRuns !== undefined) {
  const { configureGlobal } = await import("fast-check")
  configureGlobal({ numRuns: propertyRuns })
}
