import { useInfiniteQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import type { AuditEvent } from "../../../../server/client/index.js"
import { callOperation, type InputOf } from "../../api/hooks.js"
import { useSession } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { FilterBar, SelectFilter, TextFilter, useFilters } from "../../components/filters.js"
import { JsonView } from "../../components/json-view.js"
import { Page } from "../../components/page.js"
import { useMembers } from "../../components/person-picker.js"
import { EmptyState, Loading } from "../../components/states.js"
import { Person, Time } from "../../components/text.js"
import type { PageRoute } from "../../page-route.js"
import { auditText as text } from "../../strings/operations.js"

const names = ["action", "actor", "subjectId", "from", "to"] as const

/** The audit trail, newest first. */
const Audit: PageRoute["page"] = (): ReactNode => {
  const { clear, isFiltered, set, values } = useFilters(names)
  const { workspaceId } = useSession()
  const members = useMembers()
  const filter: InputOf<"listAuditEvents"> = Object.fromEntries(
    names.flatMap((name) => (values[name] === "" ? [] : [[name, values[name]]]))
  )
  const trail = useInfiniteQuery({
    queryKey: [workspaceId, "listAuditEvents", filter],
    queryFn: ({ pageParam, signal }) =>
      callOperation(
        "listAuditEvents",
        { ...filter, limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) },
        { signal }
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor
  })
  const pages = trail.data?.pages ?? []
  const events = pages.flatMap(({ items }) => items)
  const [first] = pages
  return (
    <Page title={text.title} lead={text.lead} wide>
      <FilterBar>
        <TextFilter
          label={text.filters.action}
          placeholder={text.actionHint}
          value={values.action}
          onChange={(value) => set("action", value)}
        />
        <SelectFilter
          label={text.filters.actor}
          value={values.actor}
          onChange={(value) => set("actor", value)}
          all="—"
          options={[
            ...members.map(({ id, name }) => [id, name] as const),
            ...(values.actor !== "" && !members.some(({ id }) => id === values.actor)
              ? [[values.actor, values.actor] as const]
              : [])
          ]}
        />
        <TextFilter
          label={text.filters.subject}
          value={values.subjectId}
          onChange={(value) => set("subjectId", value)}
        />
        <TextFilter
          type="date"
          label={text.filters.from}
          value={values.from}
          onChange={(value) => set("from", value)}
        />
        <TextFilter
          type="date"
          label={text.filters.to}
          value={values.to}
          onChange={(value) => set("to", value)}
        />
        {isFiltered && (
          <Button kind="quiet" size="small" onClick={clear}>
            {text.filters.clear}
          </Button>
        )}
      </FilterBar>
      <ErrorNote error={trail.error} onRetry={() => void trail.refetch()} />
      {trail.isPending && <Loading />}
      {first !== undefined && (
        <p
          className={pages.every(({ chain }) => chain.verified) ? "note good row" : "error-note"}
          role="status"
        >
          {pages.every(({ chain }) => chain.verified) ? text.verified : text.broken} {text.count(first.total)}{" "}
          · {text.head} <code>{first.chain.head.slice(0, 16)}…</code>
        </p>
      )}
      {first !== undefined && events.length === 0 && (
        <EmptyState title={isFiltered ? text.emptyFiltered : text.empty}>
          {isFiltered && <Button onClick={clear}>{text.filters.clear}</Button>}
        </EmptyState>
      )}
      {events.length > 0 && (
        <ul className="list audit-list">
          {events.map((event) => (
            <EventRow key={event.id} event={event} onActor={(actor) => set("actor", actor)} />
          ))}
        </ul>
      )}
      {trail.hasNextPage && (
        <p>
          <Button busy={trail.isFetchingNextPage} onClick={() => void trail.fetchNextPage()}>
            {text.more}
          </Button>
        </p>
      )}
      <ApiCall name="listAuditEvents" input={filter} />
    </Page>
  )
}

export default Audit

/** Pages of subjects, by the prefix of their ids. */
const places: Readonly<Record<string, string>> = {
  doc: "/documents/",
  ent: "/entities/",
  cr: "/requests/",
  run: "/runs/",
  evl: "/evals/",
  rep: "/reports/",
  src: "/connectors/"
}

const EventRow = ({
  event,
  onActor
}: {
  readonly event: AuditEvent
  readonly onActor: (actor: string) => void
}): ReactNode => {
  const place = places[event.subjectId.slice(0, event.subjectId.indexOf("_"))]
  return (
    <li data-testid="audit-row" className="audit-row">
      <details>
        <summary>
          <code className="audit-action">{event.action}</code>
          <span>
            <Person id={event.actor} /> <span className="muted">{text.via}</span>{" "}
            {event.activity.split(":")[0]}
          </span>
          <span className="muted small">
            <Time at={event.at} />
          </span>
        </summary>
        <div className="stack tight">
          <p className="row">
            {place === undefined ? (
              <code>{event.subjectId}</code>
            ) : (
              <Link href={`${place}${event.subjectId}`}>
                <code>{event.subjectId}</code>
              </Link>
            )}
            <Button size="small" kind="quiet" onClick={() => onActor(event.actor)}>
              {text.filters.actor}: <Person id={event.actor} />
            </Button>
            {event.requestId !== null && (
              <span className="muted small">
                {text.request} <code>{event.requestId}</code>
              </span>
            )}
            <Time at={event.at} form="exact" />
          </p>
          <JsonView label={text.details} value={event.details} />
          <p className="muted small">
            <code>{event.hash}</code>
          </p>
        </div>
      </details>
    </li>
  )
}
