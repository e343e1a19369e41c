import { type ReactNode, useEffect, useRef, useState } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { type CitationTarget, useAsk } from "../../../../react/index.js"
import { KanonApiError } from "../../../../server/client/index.js"
import type { AnswerView, ConversationView } from "../../../../server/console/model.js"
import { askWithStages } from "../../api/ask.js"
import { useOwn, useRefresh } from "../../api/hooks.js"
import { useSession } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Page } from "../../components/page.js"
import { SourcePanel } from "../../components/source-panel.js"
import { Loaded, Loading } from "../../components/states.js"
import { strings } from "../../strings.js"
import { DropZone } from "../../uploads/drop-zone.js"
import { Composer } from "./composer.js"
import { type Conversation, keepTurns, keptTurns, newId, type Turn, turnsOf } from "./conversation-store.js"
import { Conversations } from "./conversations.js"
import type { AskOptions } from "./options.js"
import { Starters } from "./starters.js"
import { TurnView } from "./turn.js"

// The pages `/` and `/c/{id}`: a conversation of questions and answers; `/answers/{id}`: one answer.

const texts = strings.ask

const AskPage = ({
  params
}: {
  readonly params: Readonly<Record<string, string | undefined>>
}): ReactNode => {
  const { workspaceId } = useSession()
  const [, go] = useLocation()
  const { answer, conversation } = params
  const [freshId, setFreshId] = useState(newId)
  const [shown, setShown] = useState(conversation)
  if (shown !== conversation) {
    setShown(conversation)
    // Coming back to `/` begins another conversation.
    if (conversation === undefined) setFreshId(newId())
  }
  if (answer !== undefined) return <KeptAnswer key={answer} id={answer} />
  return conversation === undefined || conversation === freshId ? (
    <Asking
      key={`${workspaceId} ${freshId}`}
      initial={{ id: freshId, turns: [] }}
      onFirst={() => go(`/c/${freshId}`, { replace: true })}
    />
  ) : (
    <KeptConversation key={`${workspaceId} ${conversation}`} id={decodeURIComponent(conversation)} />
  )
}

/** A conversation as the server has it, with the questions of this tab that found no answer. */
const KeptConversation = ({ id }: { readonly id: string }): ReactNode => {
  const { workspaceId } = useSession()
  const [own] = useState(() => keptTurns(workspaceId, id))
  const kept = useOwn<ConversationView>(`conversations/${encodeURIComponent(id)}`)
  const { data, error, isFetching } = kept
  const hasBegun = useRef(false)
  // A kept copy may lack the latest turns.
  if (isFetching && !hasBegun.current) return <Loading />
  if (data === undefined && (own.length === 0 || !isNotFound(error)))
    return <Loaded query={kept}>{() => null}</Loaded>
  hasBegun.current = true
  const answered = data === undefined ? [] : turnsOf(data)
  // An answer may have been kept although it did not arrive.
  const others = own.filter(({ question }) => answered.every((turn) => turn.question !== question))
  return <Asking initial={{ id, turns: [...answered, ...others] }} />
}

const isNotFound = (error: unknown): boolean => error instanceof KanonApiError && error.status === 404

/** One answer, from which its conversation can be continued. */
const KeptAnswer = ({ id }: { readonly id: string }): ReactNode => {
  const kept = useOwn<AnswerView>(`answers/${encodeURIComponent(id)}`)
  const { actor } = useSession()
  return (
    <Loaded query={kept}>
      {({ answer, askedBy, conversationId, question }) => (
        <Asking
          isOne
          conversationPath={
            conversationId !== null && askedBy === actor ? `/c/${encodeURIComponent(conversationId)}` : null
          }
          initial={{
            id: conversationId ?? newId(),
            turns: [{ key: id, question, answer, answerId: id }]
          }}
        />
      )}
    </Loaded>
  )
}

const Asking = ({
  conversationPath = null,
  initial,
  isOne = false,
  onFirst
}: {
  readonly initial: Conversation
  /** The page shows one answer out of its conversation. */
  readonly isOne?: boolean
  readonly conversationPath?: string | null
  /** Called before the first question. */
  readonly onFirst?: () => void
}): ReactNode => {
  const session = useSession()
  const { workspaceId } = session
  const workspace = session.workspaces.find(({ id }) => id === workspaceId)?.name ?? ""
  const [conversation, setConversation] = useState(initial)
  const [options, setOptions] = useState<AskOptions>({})
  const [target, setTarget] = useState<CitationTarget | null>(null)
  const [words] = useSearchParams()
  const [, go] = useLocation()
  const refresh = useRefresh()
  const { ask, claims, isAsking, stage, stop } = useAsk(askWithStages)
  const end = useRef<HTMLDivElement>(null)
  const { turns } = conversation
  const put = (turn: Turn) =>
    setConversation((last) => {
      const next = {
        ...last,
        turns: last.turns.some(({ key }) => key === turn.key)
          ? last.turns.map((one) => (one.key === turn.key ? turn : one))
          : [...last.turns, turn]
      }
      keepTurns(workspaceId, next)
      return next
    })
  const submit = async (question: string, key = newId()) => {
    if (turns.length === 0) onFirst?.()
    put({ key, question })
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: "nearest" }))
    const outcome = await ask({ ...options, question, conversationId: conversation.id })
    if (outcome.kind === "answered")
      put({ key, question, answer: outcome.answer, answerId: outcome.answerId })
    else
      put({ key, question, ...(outcome.kind === "failed" ? { error: outcome.error } : { isStopped: true }) })
    await refresh(["answers", "conversations", `conversations/${encodeURIComponent(conversation.id)}`])
  }
  // A question from the command palette is asked at once; one from a link only fills the field.
  const given = useRef(false)
  useEffect(() => {
    const question = words.get("q")
    const state: unknown = history.state
    const isOurs = typeof state === "object" && state !== null && "ask" in state && state.ask === true
    if (question === null || !isOurs || given.current) return
    given.current = true
    go("/", { replace: true })
    void submit(question)
  })
  const isEmpty = turns.length === 0
  return (
    <div className={target === null ? "ask-layout" : "ask-layout with-source"}>
      <Page
        title={isEmpty ? texts.heading : texts.title}
        lead={isEmpty ? texts.lead(workspace) : undefined}
        actions={
          !isEmpty && (
            <>
              {conversationPath !== null && (
                <Link href={conversationPath} className="button plain">
                  {texts.conversations.open}
                </Link>
              )}
              <Link href="/" className="button plain">
                {texts.newConversation}
              </Link>
            </>
          )
        }
      >
        {turns.map((turn, index) => (
          <TurnView
            key={turn.key}
            turn={turn}
            isAsking={isAsking && index === turns.length - 1}
            stage={stage}
            claims={claims}
            onAsk={(question) => void submit(question)}
            onCite={setTarget}
            onRetry={() => void submit(turn.question, turn.key)}
          />
        ))}
        <div ref={end} />
        <Composer
          isFirst={isEmpty}
          isAsking={isAsking}
          initial={words.get("q")}
          onAsk={(question) => void submit(question)}
          onStop={stop}
          options={options}
          onOptions={setOptions}
        />
        {isEmpty && <Starters onAsk={(question) => void submit(question)} />}
        <p>
          <DropZone />
        </p>
        <ApiCall name="query" input={{ question: turns.at(-1)?.question ?? "…", ...options }} />
      </Page>
      {target === null ? (
        <div className="ask-side">
          <Conversations currentId={isOne ? "" : conversation.id} />
        </div>
      ) : (
        <SourcePanel target={target} onClose={() => setTarget(null)} />
      )}
    </div>
  )
}

export default AskPage
