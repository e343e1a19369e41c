// The worker of adapters/vectors, from its source: a thread does not inherit a loader for TypeScript.
import { register } from "tsx/esm/api"

register()
await import("../../adapters/vectors/build-worker-main.ts")
