import type { ReactNode } from "react"
import type { InboxItem } from "../../../../server/console/inbox-model.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { useMark } from "../../api/inbox.js"
import { useScopeReason } from "../../api/session.js"
import { FieldsDiff } from "../../components/fields-diff.js"
import { Loaded } from "../../components/states.js"
import { Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { inboxText as text } from "../../strings/inbox.js"
import { entityStale } from "../entities/stale.js"
import { Head, Verbs } from "./item-parts.js"
import { SettleVerbs } from "./settle.js"

type ChangeItem = Extract<InboxItem, { readonly kind: "change" }>

/** A change that another person or program made to an entity of this member. */
export const ForeignChange = ({ item }: { readonly item: ChangeItem }): ReactNode => {
  const { authority, changeKind, changedBy, entityId: id, version } = item.data
  const revisions = useOperation("listRevisions", { id, limit: 50 })
  const kinds: Readonly<Record<string, string>> = entityText.history.kinds
  return (
    <div className="stack">
      <Head item={item} href={`/entities/${id}?tab=history`} open={text.open.entity} />
      <p>{text.change.text}</p>
      <p className="muted">
        {entityText.history.version(version)}: {kinds[changeKind] ?? changeKind} · <Person id={changedBy} />,{" "}
        <Time at={item.at} />
      </p>
      <Loaded query={revisions}>
        {({ revisions: all }) => {
          const found = all.find((one) => one.version === version)
          return found === undefined ? null : <FieldsDiff diff={shownOf(found.diff)} />
        }}
      </Loaded>
      {authority === "certified" ? <Certify item={item} /> : <SettleVerbs item={item} />}
    </div>
  )
}

const bookkeeping = new Set(["nameNorm", "version", "updatedAt", "mergedIds"])
const shownOf = <Value,>(diff: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(diff).filter(([field]) => !bookkeeping.has(field)))

/** A certified entity is certified again with the change, or the change is only noted. */
const Certify = ({ item }: { readonly item: ChangeItem }): ReactNode => {
  const { entityId: id } = item.data
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const mark = useMark()
  const certify = useChange("certifyEntity", entityStale)
  const done = () => mark.mutate({ kind: item.kind, id: item.id, state: "done" })
  return (
    <Verbs
      reason={reason}
      busy={certify.isPending || mark.isPending}
      error={certify.error ?? mark.error}
      first={{
        label: text.change.certify,
        run: () =>
          certify.mutate(
            { id },
            {
              onSuccess: () => {
                toast({ text: text.review.certified })
                done()
              }
            }
          )
      }}
      second={{ label: text.settle.done, run: done }}
    />
  )
}
