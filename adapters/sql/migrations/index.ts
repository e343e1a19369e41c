import agents from "../agents/schema.js"
import answerCache from "../answer-cache/schema.js"
import answerFeedback from "../answering/0101-answer-feedback.js"
import conversations from "../answering/conversations.js"
import answering from "../answering/schema.js"
import audit from "../audit/schema.js"
import calibration from "../calibration/schema.js"
import curation from "../curation/schema.js"
import indexingProgress from "../documents/0096-indexing-progress.js"
import documents from "../documents/schema.js"
import entities from "../entities/schema.js"
import evaluation from "../evaluation/schema.js"
import graph from "../graph/schema.js"
import consoleSessions from "../identity/0100-console-sessions.js"
import identity from "../identity/schema.js"
import jobDeaths from "../jobs/0097-job-deaths.js"
import jobs from "../jobs/schema.js"
import lexical from "../lexical/schema.js"
import livedata from "../livedata/schema.js"
import models from "../models/schema.js"
import policy from "../policy/schema.js"
import secrets from "../secrets/schema.js"
import sources from "../sources/schema.js"
import vault from "../vault/schema.js"
import vectors from "../vectors/schema.js"
import vocabulary from "../vocabulary/schema.js"
import workspace from "../workspace/schema.js"

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
  "0101_answer_feedback": answerFeedback
}
