import { type ReactNode, useDeferredValue, useState } from "react"
import { Link } from "wouter"
import type { AnswerPage } from "../../../../server/console/model.js"
import { useOwn } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Person, Time } from "../../components/text.js"
import { strings } from "../../strings.js"

const texts = strings.ask

/** Kept questions: one's own, or everybody's for those who may read them. */
export const History = ({ currentId }: { readonly currentId?: string | undefined }): ReactNode => {
  const [isMine, setMine] = useState(true)
  const [words, setWords] = useState("")
  const asked = useDeferredValue(words.trim())
  const allReason = useScopeReason("kb:read")
  const answers = useOwn<AnswerPage>(
    "answers",
    { mine: isMine, q: asked === "" ? undefined : asked, limit: 30 },
    { keepPrevious: true }
  )
  return (
    <section className="stack tight" aria-label={texts.history}>
      <div className="row spread">
        <h2>{texts.history}</h2>
        <select
          aria-label={texts.history}
          value={isMine ? "mine" : "all"}
          onChange={(event) => setMine(event.target.value === "mine")}
        >
          <option value="mine">{texts.historyMine}</option>
          <option value="all" disabled={allReason !== undefined}>
            {texts.historyAll}
          </option>
        </select>
      </div>
      <input
        type="search"
        dir="auto"
        aria-label={texts.historySearch}
        placeholder={texts.historySearch}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Loaded query={answers}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={texts.historyEmpty}>
              <p>{texts.historyEmptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map(({ askedBy, createdAt, id, question, verdict }) => (
                <li key={id} data-testid="history-row" data-id={id} data-verdict={verdict}>
                  <Link href={`/answers/${id}`} className="list-row" aria-current={id === currentId}>
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
    </section>
  )
}
