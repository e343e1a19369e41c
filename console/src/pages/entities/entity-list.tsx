import { type ReactNode, useCallback, useState } from "react"
import { Link, useLocation } from "wouter"
import { useChange, useOperation } from "../../api/hooks.js"
import { usePagedList } from "../../api/pages.js"
import { useScopeReason, useSession } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { AuthorityBadge, LifecycleBadge } from "../../components/curation-badges.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { FilterBar, SelectFilter, TextFilter, useFilters } from "../../components/filters.js"
import { Field, Page } from "../../components/page.js"
import { useMembers } from "../../components/person-picker.js"
import { EmptyState, Loading } from "../../components/states.js"
import { Content, Person } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { VirtualList } from "../../components/virtual-list.js"
import { entityText as text } from "../../strings/entities.js"
import { lifecycleText } from "../../strings/fields.js"
import { strings } from "../../strings.js"
import { DuplicateList } from "./duplicates.js"
import { entityFilter, filterNames } from "./filter.js"

/** All entities, with filters; 100,000 of them scroll, because only what is looked at is loaded. */
export const EntityList = (): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const [isCreating, setCreating] = useState(false)
  const filters = useFilters([...filterNames, "view"])
  const isDuplicates = filters.values.view === "duplicates"
  const input = entityFilter(filters.values)
  return (
    <Page
      title={isDuplicates ? text.duplicates.all : text.title}
      lead={text.lead}
      wide
      actions={
        <>
          <Button kind="quiet" onClick={() => filters.set("view", isDuplicates ? "" : "duplicates")}>
            {isDuplicates ? text.title : text.duplicates.all}
          </Button>
          <Button kind="primary" reason={writeReason} onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        </>
      }
    >
      {isDuplicates ? (
        <DuplicateList />
      ) : (
        <>
          <ListFilters filters={filters} />
          <List filters={filters} />
          <ApiCall name="listEntities" input={input} />
        </>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

type Filters = ReturnType<typeof useFilters<(typeof filterNames)[number] | "view">>

const ListFilters = ({
  filters: { clear, isFiltered, set, values }
}: {
  readonly filters: Filters
}): ReactNode => {
  const manifest = useOperation("getManifest", {})
  const { member } = useSession()
  const members = useMembers()
  const types = Object.entries(manifest.data?.counts.entitiesByType ?? {})
  const owners = members.map(({ id, name }) => [id, id === member?.id ? text.filters.mine : name] as const)
  return (
    <FilterBar>
      <TextFilter label={text.filters.q} value={values.q} onChange={(value) => set("q", value)} />
      <SelectFilter
        label={text.filters.type}
        value={values.type}
        onChange={(value) => set("type", value)}
        all={text.filters.any}
        options={types.map(([type, count]) => [type, `${type} (${count})`])}
      />
      <SelectFilter
        label={text.filters.authority}
        value={values.authority}
        onChange={(value) => set("authority", value)}
        all={text.filters.any}
        options={Object.entries(strings.authority)}
      />
      <SelectFilter
        label={text.filters.lifecycle}
        value={values.lifecycle}
        onChange={(value) => set("lifecycle", value)}
        all={text.filters.any}
        options={Object.entries(lifecycleText)}
      />
      <SelectFilter
        label={text.filters.owner}
        value={values.ownerId}
        onChange={(value) => set("ownerId", value)}
        all={text.filters.any}
        options={owners}
      />
      <SelectFilter
        label={text.filters.sort}
        value={values.sort}
        onChange={(value) => set("sort", value)}
        all={text.sorts.rank}
        options={[
          ["name", text.sorts.name],
          ["nextReviewAt", text.sorts.review]
        ]}
      />
      {isFiltered && (
        <Button kind="quiet" size="small" onClick={clear}>
          {text.filters.clear}
        </Button>
      )}
    </FilterBar>
  )
}

const List = ({ filters }: { readonly filters: Filters }): ReactNode => {
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), [])
  const list = usePagedList(
    "listEntities",
    entityFilter(filters.values),
    ({ entities }) => entities,
    ({ total }) => total,
    range
  )
  if (list.error !== null) return <ErrorNote error={list.error} />
  if (list.total === undefined) return <Loading />
  if (list.total === 0)
    return filters.isFiltered ? (
      <EmptyState title={text.empty.filtered}>
        <Button onClick={filters.clear}>{text.filters.clear}</Button>
      </EmptyState>
    ) : (
      <EmptyState title={text.empty.title}>
        <p>{text.empty.hint}</p>
        <Link href="/documents" className="button plain">
          {text.empty.documents}
        </Link>
      </EmptyState>
    )
  return (
    <>
      <p className="list-count" role="status">
        {text.found(list.total)}
      </p>
      <VirtualList
        label={text.listLabel}
        total={list.total}
        rowHeight={46}
        onRange={onRange}
        row={(index) => {
          const entity = list.itemAt(index)
          if (entity === undefined) return <span className="row-waiting" />
          return (
            <div className="record-row" data-testid="entity-row" data-id={entity.id}>
              <Link href={`/entities/${entity.id}`} className="row-main">
                <Content>{entity.name}</Content>
              </Link>
              <span className="row-type muted" dir="auto">
                {entity.type}
              </span>
              <span className="row-badges">
                <LifecycleBadge value={entity.lifecycleStatus} inList />
                <AuthorityBadge value={entity.authority} />
              </span>
              <span className="row-person">
                <Person id={entity.ownerId} />
              </span>
            </div>
          )
        }}
      />
    </>
  )
}

const CreateDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const [, navigate] = useLocation()
  const toast = useToast()
  const create = useChange("createEntity", ["listEntities", "getManifest"])
  const submit = async (form: FormData) => {
    const value = (name: string) => String(form.get(name) ?? "").trim()
    const aliases = value("aliases")
      .split("\n")
      .flatMap((line) => line.trim() || [])
    const made = await create
      .mutateAsync({
        name: value("name"),
        type: value("type"),
        ...(value("description") === "" ? {} : { description: value("description") }),
        ...(aliases.length === 0 ? {} : { aliases })
      })
      .catch(() => null)
    if (made === null) return
    toast({ text: text.created(made.name) })
    navigate(`/entities/${made.id}`)
  }
  return (
    <Dialog title={text.createTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.form.name}>
          <input name="name" required maxLength={400} dir="auto" />
        </Field>
        <Field label={text.form.type} hint={text.form.typeHint}>
          <input name="type" required maxLength={120} dir="auto" defaultValue="concept" />
        </Field>
        <Field label={text.about.aliases} hint={text.about.aliasesHint}>
          <textarea name="aliases" rows={2} dir="auto" />
        </Field>
        <Field label={text.about.description}>
          <textarea name="description" rows={4} dir="auto" />
        </Field>
        <ErrorNote error={create.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            {strings.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
