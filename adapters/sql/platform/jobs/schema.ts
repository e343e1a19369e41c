import { migration } from "../../migration.js"

/** The job queue and the schedule of recurring jobs. Partial indexes keep finished jobs out of claims and sweeps. */
export default migration(({ clustered, sql }) => [
  sql`create table job (
    workspace_id text not null,
    id text not null,
    kind text not null,
    subject_id text,
    payload text not null,
    status text not null,
    priority integer not null,
    attempt integer not null,
    max_attempts integer,
    run_at text not null,
    lease_owner text,
    lease_token integer not null,
    lease_until text,
    progress text,
    error text,
    dedupe_key text,
    origin text,
    created_at text not null,
    started_at text,
    finished_at text,
    primary key (workspace_id, id)
  ) ${clustered}`,
  // Workers look across workspaces, so these indexes do not start with one: claims, due jobs, leases, pruning.
  sql`create index job_ready on job (kind, workspace_id, priority, run_at, id)
    where status = 'queued'`,
  sql`create index job_due on job (run_at)
    where status = 'scheduled'`,
  sql`create index job_leased on job (kind, workspace_id, lease_owner, lease_until)
    where status = 'running'`,
  sql`create index job_finished on job (status, finished_at)
    where finished_at is not null`,
  // Among jobs with equal keys at most one waits and one runs. Null keys differ from each other.
  sql`create unique index job_equal_waiting on job (workspace_id, kind, dedupe_key)
    where status in ('queued', 'scheduled') and dedupe_key is not null`,
  sql`create unique index job_equal_running on job (workspace_id, kind, dedupe_key)
    where status = 'running'`,
  sql`create index job_equal_dead on job (workspace_id, kind, dedupe_key, id)
    where status = 'dead' and dedupe_key is not null`,
  // Covers the lists and counts of one workspace.
  sql`create index job_status on job (workspace_id, status, id, kind, subject_id)`,
  sql`create table job_cron (
    workspace_id text not null,
    kind text not null,
    next_at text not null,
    job_id text,
    primary key (workspace_id, kind)
  ) ${clustered}`,
  sql`create index job_cron_due on job_cron (kind, next_at)`
])
