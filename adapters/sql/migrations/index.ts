import answerCache from "../answers/answer-cache/schema.js"
import answerFeedback from "../answers/answering/0101-answer-feedback.js"
import conversationTitles from "../answers/answering/0116-conversation-titles.js"
import conversations from "../answers/answering/conversations.js"
import answering from "../answers/answering/schema.js"
import calibration from "../answers/calibration/schema.js"
import contradictions from "../answers/contradictions/0110-contradictions.js"
import policy from "../answers/policy/schema.js"
import livedata from "../connected/livedata/schema.js"
import syncResumption from "../connected/sources/0107-sync-resumption.js"
import sourceReaders from "../connected/sources/0158-source-readers.js"
import sources from "../connected/sources/schema.js"
import indexingProgress from "../files/documents/0096-indexing-progress.js"
import documents from "../files/documents/schema.js"
import proposals from "../files/proposals/0112-proposals.js"
import proposedChanges from "../files/proposals/0159-proposed-changes.js"
import vault from "../files/vault/schema.js"
import curation from "../knowledge/curation/schema.js"
import entities from "../knowledge/entities/schema.js"
import graph from "../knowledge/graph/schema.js"
import vocabulary from "../knowledge/vocabulary/schema.js"
import documentAccess from "../platform/access/0111-document-access.js"
import audit from "../platform/audit/schema.js"
import consoleSessions from "../platform/identity/0100-console-sessions.js"
import sessionIndexes from "../platform/identity/0105-session-indexes.js"
import clientTokens from "../platform/identity/0108-client-tokens.js"
import invitations from "../platform/identity/0117-invitations.js"
import identity from "../platform/identity/schema.js"
import jobDeaths from "../platform/jobs/0097-job-deaths.js"
import jobs from "../platform/jobs/schema.js"
import models from "../platform/models/schema.js"
import secrets from "../platform/secrets/schema.js"
import chunker from "../platform/workspace/0118-chunker.js"
import workspace from "../platform/workspace/schema.js"
import lexical from "../search/lexical/schema.js"
import vectors from "../search/vectors/schema.js"
import inboxMarks from "../upkeep/overview/0121-inbox-marks.js"
import agents from "../work/agents/schema.js"
import evaluation from "../work/evaluation/schema.js"

/**
 * Every migration by number and name. Append-only: a room that comes later adds a line with the next number, and a
 * change of a released table is a new migration.
 */
export const migrations = {
  "0001_workspace": workspace,
  "0002_audit": audit,
  "0003_identity": identity,
  "0004_jobs": jobs,
  "0005_documents": documents,
  "0006_vault": vault,
  "0007_lexical": lexical,
  "0008_vectors": vectors,
  "0009_entities": entities,
  "0010_graph": graph,
  "0011_vocabulary": vocabulary,
  "0012_curation": curation,
  "0013_answering": answering,
  "0014_models": models,
  "0015_policy": policy,
  "0016_calibration": calibration,
  "0017_answer_cache": answerCache,
  "0018_secrets": secrets,
  "0080_livedata": livedata,
  "0081_agents": agents,
  "0082_evaluation": evaluation,
  "0083_sources": sources,
  "0090_conversations": conversations,
  "0096_indexing_progress": indexingProgress,
  "0097_job_deaths": jobDeaths,
  "0100_console_sessions": consoleSessions,
  "0101_answer_feedback": answerFeedback,
  "0105_session_indexes": sessionIndexes,
  "0107_sync_resumption": syncResumption,
  "0108_client_tokens": clientTokens,
  "0110_contradictions": contradictions,
  "0111_document_access": documentAccess,
  "0112_proposals": proposals,
  "0116_conversation_titles": conversationTitles,
  "0117_invitations": invitations,
  "0118_chunker": chunker,
  "0121_inbox_marks": inboxMarks,
  "0158_source_readers": sourceReaders,
  "0159_proposed_changes": proposedChanges
}
