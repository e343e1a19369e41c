import documentFormats from "../documents-formats/schema.js"
import base from "./0001-base.js"
import jobs from "./0002-jobs.js"
import lexical from "./0003-lexical.js"
import vectors from "./0004-vectors.js"
import graph from "./0005-graph.js"
import intentExpects from "./0006-intent-expects.js"
import madeBy from "./0009-made-by.js"
import checksums from "./0010-checksums.js"
import revisions from "./0011-revisions.js"
import identity from "./0012-identity.js"
import smallVectors from "./0013-small-vectors.js"
import documentVersions from "./0014-document-versions.js"
import trash from "./0015-trash.js"
import answers from "./0016-answers.js"
import governance from "./0017-governance.js"
import auditChain from "./0018-audit-chain.js"
import vocabularies from "./0019-vocabularies.js"
import contentChanges from "./0020-content-changes.js"
import stewardship from "./0021-stewardship.js"
import mentionRuns from "./0022-mention-runs.js"
import jobOrigin from "./0030-job-origin.js"
import statistics from "./0031-statistics.js"
import decisions from "./0032-decisions.js"
import calibrations from "./0035-calibrations.js"
import answerCache from "./0037-answer-cache.js"
import secrets from "./0039-secrets.js"
import migrationChecksum from "./0040-migration-checksums.js"
import jobCron from "./0044-job-cron.js"
import countedOnPostgres from "./0046-counted-on-postgres.js"
import hierarchy from "./0047-hierarchy.js"
import vaultFiles from "./0048-vault-files.js"
import cheapCounting from "./0056-cheap-counting.js"
import vaultHome from "./0059-vault-home.js"
import groupings from "./0062-groupings.js"
import numbers from "./0063-numbers.js"
import toldOnce from "./0064-told-once.js"
import vectorsByNumber from "./0065-vectors-by-number.js"
import intentOwner from "./0066-intent-owner.js"
import mergedMembers from "./0067-merged-members.js"
import exactTimes from "./0068-exact-times.js"
import largeSegments from "./0069-large-segments.js"
import trailFrom from "./0070-trail-from.js"
import edgeTypes from "./0071-edge-types.js"

/** Every migration, by number and name; append-only. */
export const migrations = {
  "0001_base": base,
  "0002_jobs": jobs,
  "0003_lexical": lexical,
  "0004_vectors": vectors,
  "0005_graph": graph,
  "0006_intent_expects": intentExpects,
  "0009_made_by": madeBy,
  "0010_checksums": checksums,
  "0011_revisions": revisions,
  "0012_identity": identity,
  "0013_small_vectors": smallVectors,
  "0014_document_versions": documentVersions,
  "0015_trash": trash,
  "0016_answers": answers,
  "0017_governance": governance,
  "0018_audit_chain": auditChain,
  "0019_vocabularies": vocabularies,
  "0020_content_changes": contentChanges,
  "0021_stewardship": stewardship,
  "0022_mention_runs": mentionRuns,
  "0030_job_origin": jobOrigin,
  "0031_statistics": statistics,
  "0032_decisions": decisions,
  "0035_calibrations": calibrations,
  "0037_answer_cache": answerCache,
  "0039_secrets": secrets,
  "0040_migration_checksums": migrationChecksum,
  "0044_job_cron": jobCron,
  "0046_counted_on_postgres": countedOnPostgres,
  "0047_hierarchy": hierarchy,
  "0048_vault_files": vaultFiles,
  "0056_cheap_counting": cheapCounting,
  "0059_vault_home": vaultHome,
  "0062_groupings": groupings,
  "0063_numbers": numbers,
  "0064_told_once": toldOnce,
  "0065_vectors_by_number": vectorsByNumber,
  "0066_intent_owner": intentOwner,
  "0067_merged_members": mergedMembers,
  "0068_exact_times": exactTimes,
  "0069_large_segments": largeSegments,
  "0070_trail_from": trailFrom,
  "0071_edge_types": edgeTypes,
  "0079_document_formats": documentFormats
}
