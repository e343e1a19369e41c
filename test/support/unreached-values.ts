/**
 * Values of enumerations that no sequence of operations reaches yet, each with the part of the work that brings it.
 * A value that is reached all the same fails here, and so does one that is neither reached nor owed.
 */
export const owed: Readonly<Record<string, string>> = {
  ...under("evaluation: integration/evaluation and contract/eval-store reach them", {
    Suite: ["retrieval", "answer", "abstention"],
    EvalStatus: ["queued", "running", "succeeded", "failed", "cancelled"],
    "getEval.format": ["json", "trec"],
    "listQrels.format": ["json", "trec"],
    "CompareEvalsResult.test": ["randomisation", "randomisation_exact"],
    "compareEvals.clusters": ["topic", "conversation", "document"]
  }),
  ...under("reports: integration/reports reaches them", {
    ReportKind: ["engagement", "coverage"],
    ReportStatus: ["ready", "archived"]
  }),
  ...under("a chat model writes such claims: answering/answering-service has them", {
    ClaimStatus: ["partly", "contradicted"]
  }),
  ...under("a chat model runs out of tokens: answering/answering-replies has it", {
    CaveatCode: ["reply_truncated"]
  }),
  ...under("a file of another format: integration/formats/formats-text-warnings has one", {
    CaveatCode: ["text_uncertain"]
  }),
  ...under("retention that has erased a text: engine/history has it", {
    CaveatCode: ["history_incomplete"]
  }),
  ...under("live data: server/server-livedata reaches them", {
    CaveatCode: ["data_unavailable"],
    "GetDataCallResult.outcome": ["timeout"]
  }),
  ...under("agents that a model and a worker drive: integration/agents reaches them", {
    RunStatus: ["running", "succeeded", "failed", "budget_exceeded", "suspended"],
    RunTrigger: ["embedded"],
    RunErrorCode: [
      "model_unavailable",
      "invalid_tool_arguments",
      "tool_loop",
      "empty_reply",
      "key_revoked",
      "budget_steps"
    ],
    StepKind: ["model_call", "tool_call", "guardrail", "approval"],
    StepStatus: ["pending", "ok", "error", "denied"],
    ToolKind: ["function"],
    "ApproveRunStepRequest.decision": ["allow", "deny"]
  }),
  ...under("agents over MCP: server/server-same starts one", { RunTrigger: ["mcp"] }),
  ...under("a run is queued when it starts", {
    "RunStarted.status": ["running", "succeeded", "failed", "budget_exceeded", "interrupted", "suspended"]
  }),
  ...under("agents: no test asserts them yet", {
    RunTrigger: ["cli"],
    RunErrorCode: [
      "no-model-configured",
      "input_refused",
      "approval_expired",
      "outcome_unknown",
      "budget_tokens",
      "budget_cost",
      "budget_time",
      "internal"
    ],
    StepKind: ["retry"],
    StepStatus: ["skipped"]
  }),
  ...under("functions of a host: the tools of operations read or write", { ToolEffect: ["idempotent"] }),
  ...under("MCP servers and their tools: integration/agents/agents-mcp reaches them", {
    ToolKind: ["mcp"],
    StepKind: ["mcp_call"]
  }),
  ...under("rows of data", { CaveatCode: ["data_truncated"] }),
  ...under("a review whose day has passed: property/policy-gate reaches it", {
    CaveatCode: ["stale_source"]
  }),
  ...under("decisions that an earlier version logged: contract/decision-log keeps one", {
    "GateFeatures.format": ["features-1", "features-2", "features-3", "features-4"]
  }),
  ...under("content connectors: server/server-connectors and sources/sources-syncs reach them", {
    "DocumentLineage.origin.kind": ["connector"],
    VersionOrigin: ["connector"],
    ContentConnectorKind: ["wiki", "document_library", "chat", "markdown_upload"],
    SyncStatus: ["queued", "running", "succeeded", "failed", "cancelled"],
    SyncMode: ["full", "incremental"],
    OnConflict: ["keep", "source"],
    "PlannedChange.op": ["create", "update", "move", "remove", "restore", "conflict"],
    "UploadFile.encoding": ["utf8", "base64"],
    "deleteContentConnector.documents": ["keep", "trash"]
  }),
  ...under("wishes of how an answer is worded: integration/answers/answering/answer-style reaches them", {
    "QueryRequest.answerFormat": ["prose", "bullets", "steps"]
  }),
  ...under("keys of users over the API: the command line lists them", { "KeyItem.kind": ["user"] })
}

function under(part: string, values: Readonly<Record<string, ReadonlyArray<string>>>) {
  const names = Object.entries(values).flatMap(([name, all]) => all.map((value) => `${name} ${value}`))
  return Object.fromEntries(names.map((name) => [name, part]))
}
