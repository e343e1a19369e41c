import { type ReactNode, useCallback, useState } from "react"
import { Link, useLocation } from "wouter"
import type { ChangeRequest, RequestStatus } from "../../../../server/client/index.js"
import { usePagedList } from "../../api/pages.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { FilterBar, SelectFilter, useFilters } from "../../components/filters.js"
import { useKeys } from "../../components/keyboard.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loading } from "../../components/states.js"
import { Badge, Content, Person, Time } from "../../components/text.js"
import { VirtualList } from "../../components/virtual-list.js"
import type { PageRoute } from "../../page-route.js"
import { requestText as text } from "../../strings/requests.js"
import { BulkBar } from "./bulk-bar.js"
import { ProposeDialog } from "./propose-dialog.js"
import { requestName } from "./request-name.js"
import { RequestView } from "./request-view.js"

const tones = { open: "info", approved: "good", rejected: "bad", withdrawn: "neutral" } as const

/** Change requests: the list beside the one that is looked at. */
const Requests: PageRoute["page"] = ({ params: { id } }): ReactNode => {
  const filters = useFilters(["status"])
  const writeReason = useScopeReason("kb:write")
  const [isProposing, setProposing] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), [])
  const status = (filters.values.status || "open") as RequestStatus | "any"
  const input = status === "any" ? {} : { status }
  const list = usePagedList(
    "listChangeRequests",
    input,
    ({ requests }) => requests,
    ({ total }) => total,
    range
  )
  const toggle = (one: string) =>
    setSelected((before) => {
      const next = new Set(before)
      if (!next.delete(one)) next.add(one)
      return next
    })
  useListKeys(list, id, (one) => toggle(one))
  return (
    <Page
      title={text.title}
      lead={text.lead}
      wide
      actions={
        <Button kind="primary" reason={writeReason} onClick={() => setProposing(true)}>
          {text.propose}
        </Button>
      }
    >
      <div className={id === undefined ? "master-detail" : "master-detail has-detail"}>
        <div className="master">
          <FilterBar>
            <SelectFilter
              label={text.filters.status}
              value={status}
              onChange={(value) => filters.set("status", value === "open" ? "" : value)}
              options={[...Object.entries(text.statuses), ["any", text.filters.any]]}
            />
          </FilterBar>
          <BulkBar
            selected={selected}
            onSelect={setSelected}
            shown={shownOpen(list, list.total ?? 0)}
            reason={writeReason}
          />
          {list.error !== null && <ErrorNote error={list.error} />}
          {list.total === undefined && list.error === null && <Loading />}
          {list.total === 0 && (
            <EmptyState title={status === "open" ? text.empty.open : text.empty.other}>
              <p>{text.empty.hint}</p>
            </EmptyState>
          )}
          {list.total !== undefined && list.total > 0 && (
            <>
              <VirtualList
                label={text.listLabel}
                total={list.total}
                rowHeight={68}
                onRange={onRange}
                row={(index) => {
                  const request = list.itemAt(index)
                  return request === undefined ? (
                    <span className="row-waiting" />
                  ) : (
                    <RequestRow
                      request={request}
                      isShown={request.id === id}
                      isSelected={selected.has(request.id)}
                      onToggle={() => toggle(request.id)}
                    />
                  )
                }}
              />
              <p className="muted keys-hint">{text.keys}</p>
            </>
          )}
          <ApiCall name="listChangeRequests" input={input} />
        </div>
        <div className="detail">
          {id === undefined ? <p className="empty-state">{text.choose}</p> : <RequestView key={id} id={id} />}
        </div>
      </div>
      {isProposing && <ProposeDialog onClose={() => setProposing(false)} />}
    </Page>
  )
}

export default Requests

type List = ReturnType<typeof usePagedList<"listChangeRequests", ChangeRequest>>

/** Open requests whose page is loaded. */
const shownOpen = (list: List, total: number): ReadonlyArray<string> =>
  Array.from({ length: Math.min(total, 100) }, (_, index) => list.itemAt(index)).flatMap((one) =>
    one?.status === "open" ? [one.id] : []
  )

const useListKeys = (list: List, id: string | undefined, toggle: (id: string) => void) => {
  const [, navigate] = useLocation()
  const total = list.total ?? 0
  const placeOf = () =>
    Array.from({ length: Math.min(total, 200) }, (_, index) => list.itemAt(index)).findIndex(
      (one) => one?.id === id
    )
  const go = (step: number) => {
    const next = list.itemAt(Math.min(total - 1, Math.max(0, placeOf() + step)))
    if (next !== undefined) navigate(`/requests/${next.id}${location.search}`)
  }
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    x: () => {
      if (id !== undefined) toggle(id)
    }
  })
}

const RequestRow = ({
  isSelected,
  isShown,
  onToggle,
  request
}: {
  readonly request: ChangeRequest
  readonly isShown: boolean
  readonly isSelected: boolean
  readonly onToggle: () => void
}): ReactNode => (
  <div
    className={isShown ? "record-row two-lines current" : "record-row two-lines"}
    data-testid="request-row"
    data-id={request.id}
    data-status={request.status}
  >
    <input
      type="checkbox"
      aria-label={text.select(requestName(request))}
      checked={isSelected}
      disabled={request.status !== "open"}
      onChange={onToggle}
    />
    <span className="row-main">
      <Link href={`/requests/${request.id}${location.search}`} aria-current={isShown ? "true" : undefined}>
        <Content>{requestName(request)}</Content>
      </Link>
      <span className="muted">
        {text.kinds[request.kind]} · <Person id={request.proposedBy} />, <Time at={request.createdAt} />
      </span>
    </span>
    <Badge tone={tones[request.status]}>{text.statuses[request.status]}</Badge>
  </div>
)
