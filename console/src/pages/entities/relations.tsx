import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { EntityWithCuration, RelationItem } from "../../../../server/client/index.js"
import { callOperation, useChange, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { EntityPicker, type PickedEntity } from "../../components/entity-picker.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { strings } from "../../strings.js"
import { entityStale } from "./stale.js"

const text = entityText.relations

/** The relations of an entity with their evidence; they can be added and taken away. */
export const Relations = ({ entity }: { readonly entity: EntityWithCuration }): ReactNode => {
  const [limit, setLimit] = useState(50)
  const relations = useOperation("listRelations", { entityId: entity.id, limit }, { keepPrevious: true })
  return (
    <div className="stack">
      <Loaded query={relations}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <EmptyState title={text.empty}>
                <p>{text.emptyHint}</p>
              </EmptyState>
            ) : (
              <ul className="list">
                {items.map((relation) => (
                  <Relation key={relation.id} relation={relation} entityId={entity.id} />
                ))}
              </ul>
            )}
            {total > items.length && items.length < 200 && (
              <Button size="small" onClick={() => setLimit(200)}>
                {text.more}
              </Button>
            )}
          </>
        )}
      </Loaded>
      <AddRelation entity={entity} />
    </div>
  )
}

const Relation = ({
  entityId,
  relation
}: {
  readonly relation: RelationItem
  readonly entityId: string
}): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const refresh = useRefresh()
  const isOutgoing = relation.srcEntityId === entityId
  const [otherId, otherName] = isOutgoing
    ? [relation.dstEntityId, relation.dstName]
    : [relation.srcEntityId, relation.srcName]
  const remove = useChange("deleteRelation", entityStale)
  const onRemove = () =>
    remove.mutate(
      { id: relation.id },
      {
        onSuccess: () =>
          toast({
            text: entityText.done.relationRemoved,
            undo: async () => {
              await callOperation("restoreFromTrash", { id: relation.id })
              await refresh(entityStale)
            }
          })
      }
    )
  const [first] = relation.evidence
  return (
    <li className="list-row">
      <div className="relation-head">
        <span className="relation-type">
          {isOutgoing ? "→" : "←"} <Content>{relation.type}</Content>
        </span>
        <Link href={`/entities/${otherId}`}>
          <Content>{otherName}</Content>
        </Link>
        <Badge>{text.origin[relation.origin]}</Badge>
        <Button
          size="small"
          kind="quiet"
          reason={writeReason}
          busy={remove.isPending}
          aria-label={text.remove(relation.type, otherName)}
          onClick={onRemove}
        >
          {text.removeShort}
        </Button>
      </div>
      {first !== undefined && first.quote !== "" && (
        <blockquote dir="auto">
          {first.docId === null ? (
            first.quote
          ) : (
            <Link
              href={`/documents/${first.docId}${first.chunkId === null ? "" : `?chunk=${first.chunkId}`}`}
            >
              {first.quote}
            </Link>
          )}
        </blockquote>
      )}
      <ErrorNote error={remove.error} />
    </li>
  )
}

const AddRelation = ({ entity: { id, name } }: { readonly entity: EntityWithCuration }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const refresh = useRefresh()
  const [isOpen, setOpen] = useState(false)
  const [other, setOther] = useState<PickedEntity | null>(null)
  const [type, setType] = useState("")
  const [isOutgoing, setOutgoing] = useState(true)
  const [evidence, setEvidence] = useState("")
  const create = useChange("createRelation", entityStale)
  if (!isOpen)
    return (
      <p>
        <Button reason={writeReason} onClick={() => setOpen(true)}>
          {text.add}
        </Button>
      </p>
    )
  const submit = async () => {
    if (other === null) return
    const [srcEntityId, dstEntityId] = isOutgoing ? [id, other.id] : [other.id, id]
    const made = await create
      .mutateAsync({
        srcEntityId,
        dstEntityId,
        type: type.trim(),
        ...(evidence.trim() === "" ? {} : { evidence: evidence.trim() })
      })
      .catch(() => null)
    if (made === null) return
    setOther(null)
    setEvidence("")
    setOpen(false)
    toast({
      text: entityText.done.relationAdded,
      undo: async () => {
        await callOperation("deleteRelation", { id: made.relationId })
        await refresh(entityStale)
      }
    })
  }
  return (
    <form
      className="form-card"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <h2>{text.add}</h2>
      <label className="field">
        <span className="field-label">{text.direction}</span>
        <select
          value={isOutgoing ? "out" : "in"}
          onChange={(event) => setOutgoing(event.target.value === "out")}
        >
          <option value="out">{text.outgoing(name)}</option>
          <option value="in">{text.incoming(name)}</option>
        </select>
      </label>
      <Field label={text.type} hint={text.typeHint}>
        <input required dir="auto" value={type} onChange={(event) => setType(event.target.value)} />
      </Field>
      <EntityPicker label={text.other} picked={other} onPick={setOther} exclude={[id]} />
      <Field label={text.evidence}>
        <textarea
          rows={2}
          dir="auto"
          value={evidence}
          onChange={(event) => setEvidence(event.target.value)}
        />
      </Field>
      <ErrorNote error={create.error} />
      <p className="dialog-actions">
        <Button onClick={() => setOpen(false)}>{strings.actions.cancel}</Button>
        <Button
          kind="primary"
          type="submit"
          busy={create.isPending}
          reason={other === null ? entityText.picker.placeholder : undefined}
        >
          {text.add}
        </Button>
      </p>
    </form>
  )
}
