import { type ReactNode, useState } from "react"
import { useConsoleChange, useConsoleOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Person } from "../../components/text.js"
import { strings } from "../../strings.js"
import type { ConsoleOutput } from "../console-types.js"

const texts = strings.documents.readers

/** Shows who may read a document, and which list or rule says so; administrators set its own list. */
export const Readers = ({ id }: { readonly id: string }): ReactNode => {
  const access = useConsoleOperation<ConsoleOutput<"getDocumentAccess">>("getDocumentAccess", { id })
  return (
    <Loaded query={access}>
      {({ access: shown, folder, own, source }) => (
        <div className="cards" data-testid="document-readers">
          <section className="panel stack tight">
            <h2>{texts.who}</h2>
            <Names read={shown === null ? null : shown.read} />
          </section>
          <section className="panel stack tight">
            <h2>{texts.why}</h2>
            {own !== null && (
              <p>
                {texts.own} <Names read={own.read} />
              </p>
            )}
            {own === null && folder !== null && (
              <p>
                {texts.folder} <code>{folder.path}</code> <Names read={folder.read} />
              </p>
            )}
            {source !== null && (
              <p>
                {texts.source} <Names read={source} />
              </p>
            )}
            {own === null && folder === null && source === null && <p className="muted">{texts.none}</p>}
          </section>
          <OwnList id={id} read={own?.read ?? shown?.read ?? []} isOwn={own !== null} />
        </div>
      )}
    </Loaded>
  )
}

const Names = ({ read }: { readonly read: ReadonlyArray<string> | null }): ReactNode =>
  read === null ? (
    <span>{texts.everybody}</span>
  ) : read.length === 0 ? (
    <span>{texts.nobody}</span>
  ) : (
    <ul className="row">
      {read.map((principal) => (
        <li key={principal}>
          {principal.startsWith("user:") ? (
            <Person id={principal.slice("user:".length)} />
          ) : (
            <bdi dir="auto">{principal}</bdi>
          )}
        </li>
      ))}
    </ul>
  )

const OwnList = ({
  id,
  isOwn,
  read
}: {
  readonly id: string
  readonly read: ReadonlyArray<string>
  readonly isOwn: boolean
}): ReactNode => {
  const [list, setList] = useState(read.join("\n"))
  const reason = useScopeReason("workspace:admin")
  const set = useConsoleChange<ConsoleOutput<"setDocumentAccess">>("setDocumentAccess", [
    "getDocumentAccess",
    "getDocument",
    "listDocuments"
  ])
  const principals = list
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return (
    <form
      className="panel stack"
      onSubmit={(event) => {
        event.preventDefault()
        set.mutate({ id, read: principals })
      }}
    >
      <Field label={texts.list}>
        <textarea rows={4} dir="auto" value={list} onChange={(event) => setList(event.target.value)} />
      </Field>
      <p className="muted small">{texts.hint}</p>
      <ErrorNote error={set.error} />
      <div className="row">
        <Button type="submit" kind="primary" reason={reason} busy={set.isPending}>
          {texts.save}
        </Button>
        <Button reason={reason} onClick={() => set.mutate({ id, read: null })}>
          {texts.open}
        </Button>
        <Button reason={isOwn ? reason : texts.none} onClick={() => set.mutate({ id })}>
          {texts.follow}
        </Button>
      </div>
    </form>
  )
}
