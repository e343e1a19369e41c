import { agentCommands, runCommand, runCommands } from "./agents.js"
import { askCommand } from "./ask.js"
import { auditCommands } from "./audit.js"
import { benchClaimsCommand } from "./bench-claims.js"
import { benchRetrievalCommand } from "./bench-retrieval.js"
import { cacheCommands } from "./cache.js"
import { type Command, group } from "./command.js"
import { connectorCommands } from "./connectors.js"
import { consoleCommand, sessionCommands } from "./console.js"
import { contradictionCommands } from "./contradictions.js"
import { dataCommands } from "./data.js"
import { databaseCommands } from "./database.js"
import { decisionCommands } from "./decisions.js"
import { demoCommand } from "./demo.js"
import { doctorCommand } from "./doctor.js"
import { documentCommands } from "./documents.js"
import { entityCommands, relationCommands } from "./entities.js"
import { evalCommands } from "./eval.js"
import { groundingCommands } from "./grounding.js"
import { groupCommands } from "./groups.js"
import { ingestCommand } from "./ingest.js"
import { initCommand } from "./init.js"
import { jobCommands } from "./jobs.js"
import { keyCommands } from "./keys.js"
import { mcpCommand } from "./mcp.js"
import { migrateCommand } from "./migrate.js"
import { memberCommands, userCommands } from "./people.js"
import { compileCommand, proposalCommands } from "./proposals.js"
import { qrelsCommands } from "./qrels.js"
import { reportCommands } from "./reports.js"
import { requestCommands } from "./requests.js"
import { searchCommand } from "./search.js"
import { configCommand, serveCommand } from "./serve.js"
import { secretsCommands, settingsCommands } from "./settings.js"
import { exportSkos, importSkos } from "./skos.js"
import { statusCommand } from "./status.js"
import { stewardshipCommand } from "./stewardship.js"
import { exportWorkspace, importWorkspace } from "./transfer.js"
import { trashCommands } from "./trash.js"
import { workerCommand } from "./worker.js"
import { workspaceCommands } from "./workspaces.js"

/** Every command, in the order of the help. */
export const kanon: Command = group("kanon", "Cited answers over a folder of Markdown files.", [
  initCommand,
  ingestCommand,
  searchCommand,
  askCommand,
  demoCommand,
  statusCommand,
  serveCommand,
  consoleCommand,
  workerCommand,
  mcpCommand,
  configCommand,
  doctorCommand,
  migrateCommand,
  databaseCommands,
  group(
    "export",
    "Write the workspace, or its concepts as a vocabulary, as one file.",
    [exportWorkspace, exportSkos],
    "workspace"
  ),
  group(
    "import",
    "Make a workspace of an export, or import a vocabulary.",
    [importWorkspace, importSkos],
    "workspace"
  ),
  documentCommands,
  entityCommands,
  relationCommands,
  requestCommands,
  stewardshipCommand,
  contradictionCommands,
  compileCommand,
  proposalCommands,
  agentCommands,
  runCommand,
  runCommands,
  auditCommands,
  cacheCommands,
  decisionCommands,
  qrelsCommands,
  evalCommands,
  reportCommands,
  benchRetrievalCommand,
  benchClaimsCommand,
  groundingCommands,
  dataCommands,
  connectorCommands,
  trashCommands,
  jobCommands,
  workspaceCommands,
  settingsCommands,
  userCommands,
  memberCommands,
  groupCommands,
  keyCommands,
  sessionCommands,
  secretsCommands
])
