import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { useChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"

const texts = strings.documents
const input = { kind: "document", limit: 200 } as const

/** Deleted documents and their restoration. */
export const TrashPage = (): ReactNode => {
  const trash = useOperation("listTrash", input)
  const reason = useScopeReason("kb:write")
  const restore = useChange("restoreFromTrash", ["listTrash", "listDocuments"])
  const toast = useToast()
  const [, go] = useLocation()
  return (
    <Page
      title={texts.trashTitle}
      lead={texts.trashLead}
      actions={
        <Link href="/documents" className="button plain">
          {texts.toDocuments}
        </Link>
      }
    >
      <ErrorNote error={restore.error} />
      <Loaded query={trash}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={texts.trashEmpty}>
              <p>{texts.trashEmptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map(({ blockedBy, deletedAt, deletedBy, id, label, purgeAt, restorable }) => (
                <li key={id} className="list-row row spread" data-testid="trash-row" data-id={id}>
                  <span className="stack tight grow">
                    <span className="mono">
                      <Content>{label}</Content>
                    </span>
                    <span className="row small muted">
                      {texts.deletedAt} <Time at={deletedAt} /> <Person id={deletedBy} />
                      {purgeAt !== null && (
                        <span>
                          {texts.purgeAt} <Time at={purgeAt} />
                        </span>
                      )}
                    </span>
                  </span>
                  <Button
                    size="small"
                    reason={reason ?? (restorable ? undefined : texts.blocked(blockedBy ?? ""))}
                    busy={restore.isPending}
                    onClick={() =>
                      restore.mutate(
                        { id },
                        {
                          onSuccess: () => {
                            toast({ text: texts.restoredDocument(label) })
                            go("/documents")
                          }
                        }
                      )
                    }
                  >
                    {texts.restoreDocument}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCall name="listTrash" input={input} />
    </Page>
  )
}
