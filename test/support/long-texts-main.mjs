// The thread of adapters/host for long texts, from its source: a thread does not inherit a loader for TypeScript.
import { register } from "tsx/esm/api"

register()
await import("../../adapters/host/long-texts-main.ts")
