import { type ReactNode, useDeferredValue, useState } from "react"
import { Link, useLocation } from "wouter"
import type { ConversationItem, ConversationPage } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useOwn, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog, useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Time } from "../../components/text.js"
import { strings } from "../../strings.js"
import { History } from "./history.js"

const texts = strings.ask.conversations
const shownMax = 100
const dayMs = 86_400_000

type Age = keyof typeof texts.ages

const ageOf = (at: string): Age => {
  const midnight = new Date().setHours(0, 0, 0, 0)
  const moment = Date.parse(at)
  return moment >= midnight ? "today" : moment >= midnight - 6 * dayMs ? "week" : "older"
}

/** One's own conversations by age; while words are sought, the questions that hold them. */
export const Conversations = ({ currentId }: { readonly currentId: string }): ReactNode => {
  const [words, setWords] = useState("")
  const sought = useDeferredValue(words.trim())
  const conversations = useOwn<ConversationPage>("conversations", { limit: shownMax }, { keepPrevious: true })
  return (
    <section className="stack tight" aria-label={texts.title} data-testid="conversations">
      <h2>{texts.title}</h2>
      <input
        type="search"
        dir="auto"
        aria-label={strings.ask.historySearch}
        placeholder={strings.ask.historySearch}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {sought === "" ? (
        <Loaded query={conversations}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState title={strings.ask.historyEmpty}>
                <p>{strings.ask.historyEmptyHint}</p>
              </EmptyState>
            ) : (
              (["today", "week", "older"] as const).map((age) => (
                <Group
                  key={age}
                  age={age}
                  items={items.filter(({ updatedAt }) => ageOf(updatedAt) === age)}
                  currentId={currentId}
                />
              ))
            )
          }
        </Loaded>
      ) : (
        <History words={sought} />
      )}
    </section>
  )
}

const Group = ({
  age,
  currentId,
  items
}: {
  readonly age: Age
  readonly items: ReadonlyArray<ConversationItem>
  readonly currentId: string
}): ReactNode =>
  items.length === 0 ? null : (
    <>
      <h3 className="muted small">{texts.ages[age]}</h3>
      <ul className="list" aria-label={texts.ages[age]}>
        {items.map((item) => (
          <Entry key={item.id} item={item} isCurrent={item.id === currentId} />
        ))}
      </ul>
    </>
  )

const Entry = ({
  isCurrent,
  item
}: {
  readonly item: ConversationItem
  readonly isCurrent: boolean
}): ReactNode => {
  const [isRenaming, setRenaming] = useState(false)
  const confirm = useConfirm()
  const refresh = useRefresh()
  const [, go] = useLocation()
  const { id, questions, title, updatedAt } = item
  const path = `conversations/${encodeURIComponent(id)}` as const
  const name = title === "" ? texts.untitled : title
  return (
    <li className="conversation" data-testid="history-row" data-id={id}>
      <Link href={`/c/${encodeURIComponent(id)}`} className="list-row" aria-current={isCurrent}>
        <Content>{name}</Content>
        <span className="row small muted">
          <Time at={updatedAt} />
          <span>{texts.questions(questions)}</span>
        </span>
      </Link>
      <span className="row conversation-actions">
        <Button kind="quiet" size="small" aria-label={texts.renameOf(name)} onClick={() => setRenaming(true)}>
          {texts.rename}
        </Button>
        <Button
          kind="quiet"
          size="small"
          aria-label={texts.deleteOf(name)}
          onClick={() =>
            confirm({
              title: texts.deleteTitle,
              text: texts.deleteText(name),
              action: strings.actions.delete,
              danger: true,
              run: async () => {
                await callOwn(path, { method: "DELETE" })
                if (isCurrent) go("/")
                await refresh(["conversations", "answers"])
              }
            })
          }
        >
          {strings.actions.delete}
        </Button>
      </span>
      {isRenaming && (
        <RenameDialog
          title={title}
          onClose={() => setRenaming(false)}
          onSave={async (next) => {
            await callOwn(path, { method: "PATCH", body: { title: next } })
            await refresh(["conversations", path])
          }}
        />
      )}
    </li>
  )
}

const RenameDialog = ({
  onClose,
  onSave,
  title
}: {
  readonly title: string
  readonly onClose: () => void
  readonly onSave: (title: string) => Promise<void>
}): ReactNode => {
  const [value, setValue] = useState(title)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await onSave(value)
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog title={texts.renameTitle} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Field label={texts.name}>
          <input
            required
            maxLength={200}
            dir="auto"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </Field>
        <ErrorNote error={error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button type="submit" kind="primary" busy={busy}>
            {strings.actions.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
