import { type ReactNode, useCallback, useState } from "react"
import { Link } from "wouter"
import type { DecisionPage, Verdict } from "../../../../server/client/index.js"
import type { InputOf } from "../../api/hooks.js"
import { usePagedList } from "../../api/pages.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { FilterBar, SelectFilter, TextFilter, useFilters } from "../../components/filters.js"
import { useMembers } from "../../components/person-picker.js"
import { EmptyState, Loading } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import { VirtualList } from "../../components/virtual-list.js"
import { formatShare } from "../../language.js"
import { decisionText as text } from "../../strings/decisions.js"

const names = ["q", "verdict", "mode", "askedBy", "docId", "from", "to"] as const

const tones = {
  answer: "good",
  answer_with_caveats: "warn",
  clarify: "info",
  abstain_with_pointers: "neutral"
} as const

export const VerdictBadge = ({ verdict }: { readonly verdict: Verdict }): ReactNode => (
  <Badge tone={tones[verdict]}>{text.verdicts[verdict]}</Badge>
)

/** The log of the gate, newest first. */
export const DecisionList = (): ReactNode => {
  const filters = useFilters(names)
  const { clear, isFiltered, set, values } = filters
  const members = useMembers()
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), [])
  const input: InputOf<"listPolicyDecisions"> = Object.fromEntries(
    names.flatMap((name) => (values[name] === "" ? [] : [[name, values[name]]]))
  )
  const list = usePagedList(
    "listPolicyDecisions",
    input,
    ({ items }) => items,
    ({ total }) => total,
    range
  )
  return (
    <div className="stack">
      <FilterBar>
        <TextFilter label={text.filters.q} value={values.q} onChange={(value) => set("q", value)} />
        <SelectFilter
          label={text.filters.verdict}
          value={values.verdict}
          onChange={(value) => set("verdict", value)}
          all={text.filters.any}
          options={Object.entries(text.verdicts)}
        />
        <SelectFilter
          label={text.filters.mode}
          value={values.mode}
          onChange={(value) => set("mode", value)}
          all={text.filters.any}
          options={[
            ["shadow", text.modes.shadow],
            ["enforce", text.modes.enforce]
          ]}
        />
        <SelectFilter
          label={text.filters.askedBy}
          value={values.askedBy}
          onChange={(value) => set("askedBy", value)}
          all={text.filters.any}
          options={members.map(({ id, name }) => [id, name])}
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
      {list.error !== null && <ErrorNote error={list.error} />}
      {list.isLoading && <Loading />}
      {list.total === 0 &&
        (isFiltered ? (
          <EmptyState title={text.emptyFiltered}>
            <Button onClick={clear}>{text.filters.clear}</Button>
          </EmptyState>
        ) : (
          <EmptyState title={text.empty}>
            <p>{text.emptyHint}</p>
            <Link href="/" className="button plain">
              {text.ask}
            </Link>
          </EmptyState>
        ))}
      {list.total !== undefined && list.total > 0 && (
        <>
          <p className="list-count" role="status">
            {text.found(list.total)}
          </p>
          <VirtualList
            label={text.listLabel}
            total={list.total}
            rowHeight={66}
            onRange={onRange}
            row={(index) => {
              const decision = list.itemAt(index)
              return decision === undefined ? (
                <span className="row-waiting" />
              ) : (
                <DecisionRow decision={decision} />
              )
            }}
          />
        </>
      )}
      <ApiCall name="listPolicyDecisions" input={input} />
    </div>
  )
}

const DecisionRow = ({ decision }: { readonly decision: DecisionPage["items"][number] }): ReactNode => (
  <div className="record-row two-lines" data-testid="decision-row" data-id={decision.id}>
    <span className="row-main">
      <Link href={`/decisions/${decision.id}`}>
        {decision.question === null ? text.noQuestion : <Content>{decision.question}</Content>}
      </Link>
      <span className="muted small clip">
        <Time at={decision.decidedAt} /> · {text.modes[decision.mode]} ·{" "}
        {text.confidence(formatShare(decision.confidence))}
        {decision.caveatCodes.length > 0 &&
          ` · ${decision.caveatCodes.map((code) => text.caveats[code]).join(", ")}`}
      </span>
    </span>
    <VerdictBadge verdict={decision.verdict} />
  </div>
)
