import { type ReactNode, useEffect, useState } from "react"
import type { InboxItem, InboxKind, InboxPage } from "../../../../server/console/inbox-model.js"
import { useOwn } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { useFilters } from "../../components/filters.js"
import { useKeys } from "../../components/keyboard.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import type { PageRoute } from "../../page-route.js"
import { inboxText as text } from "../../strings/inbox.js"
import { InboxDetail } from "./inbox-detail.js"

const keyOf = ({ id, kind }: InboxItem): string => `${kind}:${id}`

/** One queue of everything that waits for a person, to be emptied by keyboard. */
const Inbox: PageRoute["page"] = (): ReactNode => {
  const filters = useFilters(["kind", "mine"])
  const inbox = useOwn<InboxPage>(
    "inbox",
    {
      limit: 200,
      ...(filters.values.kind === "" ? {} : { kind: filters.values.kind }),
      ...(filters.values.mine === "" ? {} : { mine: true })
    },
    { everyMs: 30_000, keepPrevious: true }
  )
  return (
    <Page title={text.title} lead={text.lead} wide>
      <Loaded query={inbox}>
        {(page) => (
          <>
            <Kinds page={page} filters={filters} />
            {page.items.length === 0 ? (
              <EmptyState title={filters.isFiltered ? text.emptyKind : text.empty}>
                <p>{text.emptyHint}</p>
                {filters.isFiltered && <Button onClick={filters.clear}>{text.all}</Button>}
              </EmptyState>
            ) : (
              <Queue items={page.items} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Inbox

const Kinds = ({
  filters: { set, values },
  page: { counts }
}: {
  readonly page: InboxPage
  readonly filters: ReturnType<typeof useFilters<"kind" | "mine">>
}): ReactNode => (
  <fieldset className="kind-filter">
    <legend className="visually-hidden">{text.title}</legend>
    <Button
      size="small"
      aria-pressed={values.mine !== ""}
      onClick={() => set("mine", values.mine === "" ? "1" : "")}
    >
      {text.mineOnly} <span className="count">{counts.mine}</span>
    </Button>
    <Button size="small" aria-pressed={values.kind === ""} onClick={() => set("kind", "")}>
      {text.all} <span className="count">{counts.total}</span>
    </Button>
    {(Object.keys(text.kinds) as ReadonlyArray<InboxKind>)
      .filter((kind) => counts[kind] > 0 || values.kind === kind)
      .map((kind) => (
        <Button key={kind} size="small" aria-pressed={values.kind === kind} onClick={() => set("kind", kind)}>
          {text.kinds[kind]} <span className="count">{counts[kind]}</span>
        </Button>
      ))}
  </fieldset>
)

const Queue = ({ items }: { readonly items: ReadonlyArray<InboxItem> }): ReactNode => {
  const [chosen, setChosen] = useState<string | null>(null)
  const [place, setPlace] = useState(0)
  const found = items.findIndex((item) => keyOf(item) === chosen)
  // A finished item leaves the list, and the next one takes its place.
  const at = found >= 0 ? found : Math.min(place, items.length - 1)
  const item = items[at]
  const go = (index: number) => {
    const next = items[Math.min(items.length - 1, Math.max(0, index))]
    if (next === undefined) return
    setPlace(items.indexOf(next))
    setChosen(keyOf(next))
  }
  useKeys({ j: () => go(at + 1), k: () => go(at - 1) })
  useEffect(() => {
    if (item !== undefined)
      document.querySelector(`[data-key="${CSS.escape(keyOf(item))}"]`)?.scrollIntoView({ block: "nearest" })
  }, [item])
  return (
    <div className="master-detail has-both">
      <div className="master">
        <ul className="list queue" aria-label={text.listLabel}>
          {items.map((one) => (
            <li
              key={keyOf(one)}
              data-testid="inbox-row"
              data-kind={one.kind}
              data-id={one.id}
              data-key={keyOf(one)}
            >
              <button
                type="button"
                className="list-row"
                aria-current={one === item ? "true" : undefined}
                onClick={() => go(items.indexOf(one))}
              >
                <span className="row spread">
                  <Badge tone={one.mine ? "info" : "neutral"}>{text.kinds[one.kind]}</Badge>
                  {one.mine && <span className="small mine">{text.mine}</span>}
                </span>
                <span className="queue-title">
                  <Content>{one.title}</Content>
                </span>
                <span className="muted small">
                  {text.since} <Time at={one.at} />
                </span>
              </button>
            </li>
          ))}
        </ul>
        <p className="muted keys-hint">{text.keys}</p>
      </div>
      <section className="detail panel" aria-live="polite">
        {item === undefined ? (
          <p className="muted">{text.choose}</p>
        ) : (
          <InboxDetail key={keyOf(item)} item={item} />
        )}
      </section>
    </div>
  )
}
