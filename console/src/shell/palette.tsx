import { type KeyboardEvent, type ReactNode, useId, useState } from "react"
import { useLocation } from "wouter"
import type { KeyScope } from "../../../server/client/index.js"
import { useOperation } from "../api/hooks.js"
import { useSession } from "../api/session.js"
import { Dialog } from "../components/dialog.js"
import { navigation } from "../routes.js"
import { strings } from "../strings.js"
import { Icon } from "./icons.js"

const texts = strings.palette

interface Choice {
  readonly key: string
  readonly icon: string
  readonly group: string
  readonly text: string
  readonly hint?: string
  readonly href: string
}

/** Goes to a page, a document or an entity, or asks and searches, by keyboard. */
export const Palette = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const [words, setWords] = useState("")
  const [at, setAt] = useState(0)
  const [, go] = useLocation()
  const { scopes } = useSession()
  const id = useId()
  const typed = words.trim()
  const found = useOperation(
    "search",
    { q: typed, limit: 6 },
    { enabled: typed.length > 1, keepPrevious: true }
  )
  const entities = useOperation(
    "resolveEntities",
    { q: typed, limit: 5 },
    { enabled: typed.length > 1, keepPrevious: true }
  )
  const choices = choicesOf(typed, scopes, found.data?.results ?? [], entities.data?.candidates ?? [])
  const chosen = Math.min(at, choices.length - 1)
  const open = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    // A question is asked at once; the state tells it from a link that only fills the field.
    go(choice.href, { state: { ask: choice.key === "ask" } })
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === "Enter") open(choices[chosen])
    else if (event.key === "ArrowDown") setAt((chosen + 1) % choices.length)
    else if (event.key === "ArrowUp") setAt((chosen + choices.length - 1) % choices.length)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <input
        data-testid="palette-input"
        className="palette-input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices.length === 0 ? undefined : `${id}-${chosen}`}
        aria-label={texts.placeholder}
        placeholder={texts.placeholder}
        autoComplete="off"
        dir="auto"
        value={words}
        onChange={(event) => {
          setWords(event.target.value)
          setAt(0)
        }}
        onKeyDown={move}
      />
      <div id={`${id}-list`} role="listbox" aria-label={texts.title} className="palette-list">
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard.
          // biome-ignore lint/a11y/useFocusableInteractive: as above.
          <div
            key={choice.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="palette-choice"
            onClick={() => open(choice)}
            onMouseMove={() => setAt(index)}
          >
            <Icon name={choice.icon} />
            <bdi dir="auto">{choice.text}</bdi>
            {choice.hint !== undefined && (
              <bdi dir="auto" className="muted">
                {choice.hint}
              </bdi>
            )}
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className="muted">{texts.empty}</p>}
    </Dialog>
  )
}

/** Every page that the session may open, and every tab of the settings. */
const pagesOf = (held: ReadonlyArray<KeyScope>): ReadonlyArray<Choice> => [
  ...navigation
    .flatMap(({ items }) => items)
    .filter(({ scopes }) => scopes?.some((one) => held.includes(one)) ?? true)
    .map(({ href, name }) => ({
      key: href,
      icon: name,
      group: texts.pages,
      text: String(strings.nav[name]),
      href
    })),
  ...Object.entries(strings.settings).map(([section, text]) => ({
    key: `/settings/${section}`,
    icon: "settings",
    group: texts.pages,
    text,
    hint: strings.nav.settings,
    href: `/settings/${section}`
  }))
]

const choicesOf = (
  typed: string,
  held: ReadonlyArray<KeyScope>,
  documents: ReadonlyArray<{ readonly docId: string; readonly docTitle: string; readonly docPath: string }>,
  entities: ReadonlyArray<{ readonly id: string; readonly name: string; readonly type: string }>
): ReadonlyArray<Choice> => {
  const words = typed.toLowerCase()
  const pages = pagesOf(held).filter(({ hint = "", text }) => `${hint} ${text}`.toLowerCase().includes(words))
  if (typed.length < 2) return pages
  const word = encodeURIComponent(typed)
  const byDocument = new Map(documents.map((one) => [one.docId, one]))
  return [
    ...pages,
    ...entities.map(({ id, name, type }) => ({
      key: id,
      icon: "entities",
      group: texts.entities,
      text: name,
      hint: type,
      href: `/entities/${id}`
    })),
    ...[...byDocument.values()].map(({ docId, docPath, docTitle }) => ({
      key: docId,
      icon: "documents",
      group: texts.documents,
      text: docTitle,
      hint: docPath,
      href: `/documents/${docId}`
    })),
    { key: "ask", icon: "ask", group: texts.actions, text: texts.askThis(typed), href: `/?q=${word}` },
    {
      key: "search",
      icon: "search",
      group: texts.actions,
      text: texts.searchThis(typed),
      href: `/search?q=${word}`
    }
  ]
}
