// The names that `import "kanon"` gives, one by one: adding or taking one is a decision, which changes this list.
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const namesOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^export (?:type )?\{([^}]*)\} from/gm)]
    .flatMap(([, list = ""]) => list.split(","))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, "")
    )
    .filter((name) => name !== "")
    .sort()

const face = `
  AgentCalls AgentView AnswerClaim AnswerPart AskEvent AskOptions AskPart Asking AuditEvent AuditPage
  CallOptions Caller Card Caveat CaveatCode ChainReport ChangeRequest ChatModel ChatReply ChatRequest
  ClaimStatus ConnectorCalls ContentConnector Contradiction CoverageMatrix CurationMeta DataCall
  DecisionPage DoctorOptions DoctorReport DocumentLineage DocumentMoveResult DocumentPage
  DocumentSaveResult DocumentSummary DocumentVerification DocumentVersion DocumentVersionPage
  DocumentWithContent Embedder Engine EngineCalls EngineEventName EngineEvents EngineListener EngineStatus
  Entity EntityPage EntityWithCuration EvalResult EvalView EvidenceConflict Explanation FaultCode
  GroundingReport Ids IngestOptions IngestProgress IngestReport JobPage Judge KanonError Manifest
  MentionPage MergeResult Metrics MintedKey ModelFailed Neighborhood OpenOptions Operation PolicyDecision
  PolicyMode Ports Price ProposedDocument Query RegisteredTool RelationItem RelationPage RelationSaveResult
  Report Reranker Revision Run RunEvent RunPage RunStep Scope SearchOptions SearchResponse SearchResult
  Settings SkosDocument SkosImportResult Source StageName StructuredAnswer SyncRun Timings ToolContext
  TrashPage TurnReply TurnRequest Usage Verdict VocabularyCalls Wired WorkspaceStore WorkspaceView
  collectMetrics drain faultCodes handlers now openEngine operations runOperation scopeOf startWorker
  syncVault wiring
`

describe("the entries of the package", () => {
  it("exports these names from kanon, about 120 of them", () => {
    expect(namesOf("core/index.ts")).toEqual(face.trim().split(/\s+/).sort())
  })

  it.each(["core/index.ts", "core/adapter.ts"])("exports no room as a whole from %s", (file) => {
    expect(readFileSync(file, "utf8")).not.toContain("export *")
  })
})
