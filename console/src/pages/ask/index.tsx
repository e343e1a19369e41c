import { type ReactNode, useEffect, useRef, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { type CitationTarget, useAsk } from "../../../../react/index.js"
import type { AnswerView } from "../../../../server/console/model.js"
import { askWithStages } from "../../api/ask.js"
import { useOwn, useRefresh } from "../../api/hooks.js"
import { useSession } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Page } from "../../components/page.js"
import { SourcePanel } from "../../components/source-panel.js"
import { Loaded } from "../../components/states.js"
import { strings } from "../../strings.js"
import { Composer } from "./composer.js"
import {
  type Conversation,
  keepConversation,
  keptConversation,
  newConversation,
  newId,
  type Turn
} from "./conversation-store.js"
import { History } from "./history.js"
import type { AskOptions } from "./options.js"
import { Starters } from "./starters.js"
import { TurnView } from "./turn.js"

// The page `/ask`: a question, its answer with sources, and kept conversations.

const texts = strings.ask

const AskPage = ({
  params
}: {
  readonly params: Readonly<Record<string, string | undefined>>
}): ReactNode => {
  const { workspaceId } = useSession()
  const { id } = params
  return id === undefined ? (
    <Asking key={workspaceId} initial={keptConversation(workspaceId)} />
  ) : (
    <KeptAnswer key={id} id={id} />
  )
}

/** A kept answer, whose conversation can be continued. */
const KeptAnswer = ({ id }: { readonly id: string }): ReactNode => {
  const kept = useOwn<AnswerView>(`answers/${encodeURIComponent(id)}`)
  return (
    <Loaded query={kept}>
      {({ answer, conversationId, question }) => (
        <Asking
          answerId={id}
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
  initial,
  answerId
}: {
  readonly initial: Conversation
  readonly answerId?: string
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
  const keep = (next: Conversation) => {
    setConversation(next)
    keepConversation(workspaceId, next)
  }
  const put = (turn: Turn) =>
    setConversation((last) => {
      const next = {
        ...last,
        turns: last.turns.some(({ key }) => key === turn.key)
          ? last.turns.map((one) => (one.key === turn.key ? turn : one))
          : [...last.turns, turn]
      }
      keepConversation(workspaceId, next)
      return next
    })
  const submit = async (question: string, key = newId()) => {
    put({ key, question })
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: "nearest" }))
    const outcome = await ask({ ...options, question, conversationId: conversation.id })
    if (outcome.kind === "answered")
      put({ key, question, answer: outcome.answer, answerId: outcome.answerId })
    else
      put({ key, question, ...(outcome.kind === "failed" ? { error: outcome.error } : { isStopped: true }) })
    await refresh(["answers"])
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
            <Button
              onClick={() => {
                stop()
                setTarget(null)
                keep(newConversation())
                if (answerId !== undefined) go("/")
              }}
            >
              {texts.newConversation}
            </Button>
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
        <ApiCall name="query" input={{ question: turns.at(-1)?.question ?? "…", ...options }} />
      </Page>
      {target === null ? (
        <div className="ask-side">
          <History currentId={answerId} />
        </div>
      ) : (
        <SourcePanel target={target} onClose={() => setTarget(null)} />
      )}
    </div>
  )
}

export default AskPage
