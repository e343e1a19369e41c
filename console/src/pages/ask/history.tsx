import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { AnswerPage } from "../../../../server/console/model.js"
import { useOperation, useOwn } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Person, Time } from "../../components/text.js"
import { strings } from "../../strings.js"

const texts = strings.ask

/** Kept questions that hold some words: one's own, or everybody's where the workspace shows them to its admins. */
export const History = ({ words }: { readonly words: string }): ReactNode => {
  const [isMine, setMine] = useState(true)
  const isAdmin = useScopeReason("workspace:admin") === undefined
  const workspace = useOperation("getWorkspace", {}, { enabled: isAdmin })
  const readsAll = workspace.data?.settings.privacy.questions === "workspace"
  const answers = useOwn<AnswerPage>("answers", { mine: isMine, q: words, limit: 30 }, { keepPrevious: true })
  return (
    <>
      {readsAll && (
        <select
          aria-label={texts.history}
          value={isMine ? "mine" : "all"}
          onChange={(event) => setMine(event.target.value === "mine")}
        >
          <option value="mine">{texts.historyMine}</option>
          <option value="all">{texts.historyAll}</option>
        </select>
      )}
      <Loaded query={answers}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={texts.historyNone} />
          ) : (
            <ul className="list">
              {items.map(({ askedBy, createdAt, id, question, verdict }) => (
                <li key={id} data-testid="history-row" data-id={id} data-verdict={verdict}>
                  <Link href={`/answers/${id}`} className="list-row">
                    <Content>{question}</Content>
                    <span className="row small muted">
                      <Time at={createdAt} />
                      {!isMine && <Person id={askedBy} />}
                      {verdict !== "answer" && <span>{strings.verdicts[verdict]}</span>}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}
