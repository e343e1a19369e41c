export type { AgentCalls } from "./agent-calls.js"
export type { MakeBackgroundWorker } from "./background-worker.js"
export type { EngineCalls, EngineOperation, VocabularyCalls } from "./calls.js"
export type { ConnectorCalls } from "./connector-calls.js"
export type { AskEvent, Asking, AskOptions, AskPart, Engine, SearchOptions } from "./engine.js"
export {
  type EngineEventName,
  type EngineEvents,
  type EngineListener,
  eventHub,
  type QueueState,
  reported
} from "./events.js"
export { loadWorkspace, type OpenExport, requireEmptyVault, verifyExportFile } from "./import.js"
export { ingest } from "./ingest.js"
export type { IngestOptions, IngestProgress, IngestReport } from "./ingest-report.js"
export { collectMetrics, type Metrics, type Timings } from "./metrics.js"
export { type CallOptions, unwrapExit } from "./running-calls.js"
export { type EngineStatus, status } from "./status.js"
export { handlers, type Wired, wiring, wiringWithin } from "./wiring.js"
export { type OpenOptions, openEngine, openEngineOn } from "./workspace-handle.js"
