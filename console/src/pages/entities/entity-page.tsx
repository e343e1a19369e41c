import { type ReactNode, useState } from "react"
import { Link, useLocation } from "wouter"
import type { EntityWithCuration } from "../../../../server/client/index.js"
import { callOperation, useChange, useConsoleChange, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { useKeys } from "../../components/keyboard.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { TabSet } from "../../components/tab-set.js"
import { useToast } from "../../components/toast.js"
import { entityText as text } from "../../strings/entities.js"
import { strings } from "../../strings.js"
import { About } from "./about.js"
import { Curation } from "./curation.js"
import { DuplicateList } from "./duplicates.js"
import { EntityEditor } from "./entity-editor.js"
import { History } from "./history.js"
import { Mentions } from "./mentions.js"
import { MergeDialog } from "./merge-dialog.js"
import { ProposeMergeDialog } from "./propose-merge.js"
import { Relations } from "./relations.js"
import { RetireDialog } from "./retire-dialog.js"
import { entityStale } from "./stale.js"
import { useCare } from "./standing.js"

/** One entity: what is known of it, who stands behind it, and every verb of its curation. */
export const EntityPage = ({ id }: { readonly id: string }): ReactNode => {
  const entity = useOperation("getEntity", { id })
  if (entity.data === undefined)
    return (
      <Page title={text.title}>
        <Loaded query={entity}>{() => null}</Loaded>
      </Page>
    )
  return <Loadable entity={entity.data} />
}

const Loadable = ({ entity }: { readonly entity: EntityWithCuration }): ReactNode => {
  const { id, name } = entity
  const [open, setOpen] = useState<"edit" | "merge" | "retire" | null>(null)
  const writeReason = useScopeReason("kb:write")
  const verbs = useVerbs(entity)
  const care = useCare(entity)
  const isRetired = ["deprecated", "superseded"].includes(entity.curation.lifecycleStatus)
  useKeys({ e: () => writeReason === undefined && setOpen("edit") })
  const close = () => setOpen(null)
  return (
    <Page
      title={name}
      wide
      lead={<span dir="auto">{entity.type}</span>}
      actions={
        <>
          <Link href={`/graph/${id}`} className="button quiet normal">
            {text.verbs.graph}
          </Link>
          <Button
            kind="primary"
            reason={writeReason ?? care.reason}
            busy={verbs.certify.isPending}
            data-testid="entity-certify"
            onClick={() => verbs.certify.mutate({ id })}
          >
            {text.verbs.certify}
          </Button>
          <Button
            reason={writeReason ?? care.reason}
            busy={verbs.review.isPending}
            onClick={() => verbs.review.mutate({ id })}
          >
            {text.verbs.review}
          </Button>
          <Button
            reason={writeReason}
            busy={verbs.compile.isPending}
            data-testid="entity-compile"
            onClick={verbs.compile.run}
          >
            {text.verbs.compile}
          </Button>
          <Button reason={writeReason} onClick={() => setOpen("edit")}>
            {care.isOthers ? text.verbs.propose : text.verbs.edit}
          </Button>
          <Button reason={writeReason} onClick={() => setOpen("merge")}>
            {care.isOthers ? text.verbs.proposeMerge : text.verbs.merge}
          </Button>
          <Button
            reason={writeReason ?? (isRetired ? text.curation.terminal : undefined)}
            onClick={() => setOpen("retire")}
          >
            {care.isOthers ? text.verbs.proposeRetire : text.verbs.retire}
          </Button>
          <Button
            kind="danger"
            reason={writeReason}
            onClick={care.isOthers ? verbs.proposeRemoval : verbs.remove}
          >
            {care.isOthers ? text.verbs.proposeRemove : text.verbs.remove}
          </Button>
        </>
      }
    >
      <ErrorNote error={verbs.certify.error ?? verbs.review.error ?? verbs.compile.error} />
      <div className="with-side">
        <div className="stack">
          {open === "edit" ? (
            <EntityEditor entity={entity} isProposal={care.isOthers} onClose={close} />
          ) : (
            <TabSet
              label={name}
              tabs={[
                { name: "about", label: text.tabs.about, content: () => <About entity={entity} /> },
                {
                  name: "relations",
                  label: text.tabs.relations,
                  content: () => <Relations entity={entity} />
                },
                { name: "mentions", label: text.tabs.mentions, content: () => <Mentions id={id} /> },
                { name: "history", label: text.tabs.history, content: () => <History entity={entity} /> },
                { name: "duplicates", label: text.tabs.duplicates, content: () => <DuplicateList id={id} /> }
              ]}
            />
          )}
          <ApiCall name="getEntity" input={{ id }} />
        </div>
        <Curation entity={entity} />
      </div>
      {open === "merge" &&
        (care.isOthers ? (
          <ProposeMergeDialog from={entity} onClose={close} />
        ) : (
          <MergeDialog from={entity} onClose={close} />
        ))}
      {open === "retire" && <RetireDialog entity={entity} isProposal={care.isOthers} onClose={close} />}
    </Page>
  )
}

const useVerbs = (entity: EntityWithCuration) => {
  const { id, name } = entity
  const toast = useToast()
  const confirm = useConfirm()
  const refresh = useRefresh()
  const [, navigate] = useLocation()
  const certify = useChange("certifyEntity", entityStale)
  const review = useChange("reviewEntity", entityStale)
  const compile = useConsoleChange("compileTopic", ["inbox"])
  const { authority } = entity.curation
  const setBack = async () => {
    await callOperation("setAuthority", { id, authority })
    await refresh(entityStale)
  }
  return {
    certify: {
      ...certify,
      mutate: (input: { readonly id: string }) =>
        certify.mutate(input, {
          onSuccess: () =>
            toast({
              text: text.done.certified,
              ...(authority === "certified" ? {} : { undo: setBack })
            })
        })
    },
    review: {
      ...review,
      mutate: (input: { readonly id: string }) =>
        review.mutate(input, { onSuccess: () => toast({ text: text.done.reviewed }) })
    },
    compile: {
      error: compile.error,
      isPending: compile.isPending,
      run: () => compile.mutate({ entityId: id }, { onSuccess: () => toast({ text: text.done.compiled }) })
    },
    proposeRemoval: () =>
      confirm({
        title: text.remove.title(name),
        text: text.care.removeText,
        action: text.care.submit,
        run: async () => {
          const made = await callOperation("proposeChange", { kind: "delete", entityId: id, payload: {} })
          await refresh(entityStale)
          navigate(`/requests/${made.id}`)
          toast({ text: text.done.proposed })
        }
      }),
    remove: () =>
      confirm({
        title: text.remove.title(name),
        text: text.remove.text,
        action: strings.actions.delete,
        danger: true,
        run: async () => {
          await callOperation("deleteEntity", { id })
          navigate("/entities")
          await refresh(entityStale)
          toast({
            text: text.done.removed(name),
            undo: async () => {
              await callOperation("restoreFromTrash", { id })
              await refresh(entityStale)
              navigate(`/entities/${id}`)
            }
          })
        }
      })
  }
}
