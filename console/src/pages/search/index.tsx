import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import { Link, useSearchParams } from "wouter"
import type { CitationTarget } from "../../../../react/index.js"
import type { SearchResult, Verification } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { useDelayed } from "../../components/filters.js"
import { useKeys } from "../../components/keyboard.js"
import { Field, Page } from "../../components/page.js"
import { SourcePanel } from "../../components/source-panel.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Standing } from "../../components/text.js"
import { answerText } from "../../strings/answer.js"
import { strings } from "../../strings.js"

const texts = strings.search
const standings = ["unverified", "verified", "certified", "deprecated"] as const
const perPage = 20
/** The search follows what is typed after so long. */
const typingMs = 250

const SearchPage = (): ReactNode => {
  const [address, setAddress] = useSearchParams()
  const q = address.get("q") ?? ""
  const [words, setWords] = useState(q)
  const [target, setTarget] = useState<CitationTarget | null>(null)
  const list = useRef<HTMLOListElement>(null)
  // The address can change by the command palette; what is typed may end in a blank.
  useEffect(() => setWords((typed) => (typed.trim() === q ? typed : q)), [q])
  const verification = standings.find((one) => one === address.get("verification"))
  const input = {
    q,
    limit: Number(address.get("limit") ?? perPage),
    ...filled("pathPrefix", address.get("folder")),
    ...filled("tag", address.get("tag")),
    ...(verification === undefined ? {} : { verification }),
    ...(address.get("rerank") === "1" ? { rerank: true } : {})
  }
  const found = useOperation("search", input, { enabled: q.trim() !== "", keepPrevious: true })
  const change = useCallback(
    (name: string, value: string) =>
      setAddress(
        (last) => {
          const next = new URLSearchParams(last)
          if (value === "") next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true }
      ),
    [setAddress]
  )
  const settled = useDelayed(words.trim(), typingMs)
  useEffect(() => {
    if (settled === words.trim() && settled !== q && settled.length !== 1) change("q", settled)
  }, [settled, words, q, change])
  const step = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[data-search-link]") ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  return (
    <div className={target === null ? "" : "ask-layout with-source"}>
      <Page title={texts.title}>
        {/* biome-ignore lint/a11y/useSemanticElements: `<search>` is not known to all readers yet. */}
        <form
          className="stack"
          role="search"
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            setTarget(null)
            change("q", words.trim())
          }}
        >
          <div className="row">
            <input
              data-testid="search-input"
              className="grow"
              type="search"
              dir="auto"
              aria-label={texts.label}
              placeholder={texts.placeholder}
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
            <Button type="submit" kind="primary">
              {texts.submit}
            </Button>
          </div>
          <Filters address={address} onChange={change} />
        </form>
        {q.trim() === "" ? (
          <EmptyState title={texts.start}>
            <p>{texts.startHint}</p>
          </EmptyState>
        ) : (
          <Loaded query={found}>
            {({ results, total }) =>
              results.length === 0 ? (
                <EmptyState title={texts.none}>
                  <p>{texts.noneHint}</p>
                  <Link href={`/?q=${encodeURIComponent(q)}`} className="button plain">
                    {texts.askInstead}
                  </Link>
                </EmptyState>
              ) : (
                <div className="stack">
                  <p className="muted small" role="status">
                    {texts.found(total)}
                  </p>
                  <ol ref={list} className="stack">
                    {byDocument(results).map(([first, ...more]) => (
                      <Document key={first.docId} results={[first, ...more]} words={q} onShow={setTarget} />
                    ))}
                  </ol>
                  {results.length < total && input.limit < 50 && (
                    <div>
                      <Button onClick={() => change("limit", "50")}>{strings.actions.more}</Button>
                    </div>
                  )}
                </div>
              )
            }
          </Loaded>
        )}
        <ApiCall name="search" input={input} />
      </Page>
      {target !== null && <SourcePanel target={target} onClose={() => setTarget(null)} />}
    </div>
  )
}

const filled = (name: string, value: string | null): Readonly<Record<string, string>> =>
  value === null || value === "" ? {} : { [name]: value }

const Filters = ({
  address,
  onChange
}: {
  readonly address: URLSearchParams
  readonly onChange: (name: string, value: string) => void
}): ReactNode => (
  <div className="row filters">
    <Field label={texts.folder}>
      <input
        type="text"
        dir="auto"
        defaultValue={address.get("folder") ?? ""}
        onBlur={(event) => onChange("folder", event.target.value.trim())}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChange("folder", event.currentTarget.value.trim())
        }}
      />
    </Field>
    <Field label={texts.tag}>
      <input
        type="text"
        dir="auto"
        defaultValue={address.get("tag") ?? ""}
        onBlur={(event) => onChange("tag", event.target.value.trim())}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChange("tag", event.currentTarget.value.trim())
        }}
      />
    </Field>
    <Field label={texts.verification}>
      <select
        value={address.get("verification") ?? ""}
        onChange={(event) => onChange("verification", event.target.value)}
      >
        <option value="">{texts.any}</option>
        {standings.map((one: Verification) => (
          <option key={one} value={one}>
            {strings.standing[one]}
          </option>
        ))}
      </select>
    </Field>
    <label className="check">
      <input
        type="checkbox"
        checked={address.get("rerank") === "1"}
        onChange={(event) => onChange("rerank", event.target.checked ? "1" : "")}
      />
      <span>{texts.rerank}</span>
    </label>
  </div>
)

type Hits = readonly [SearchResult, ...ReadonlyArray<SearchResult>]

/** The passages of each document together, in the order of their best one. */
const byDocument = (results: ReadonlyArray<SearchResult>): ReadonlyArray<Hits> => {
  const documents = new Map<string, Hits>()
  for (const result of results) {
    const hits = documents.get(result.docId)
    documents.set(result.docId, hits === undefined ? [result] : [...hits, result])
  }
  return [...documents.values()]
}

interface Shows {
  readonly words: string
  readonly onShow: (target: CitationTarget) => void
}

const Document = ({ results, ...shows }: Shows & { readonly results: Hits }): ReactNode => {
  const [{ chunkId, docId, docPath, docTitle, verification }] = results
  return (
    <li className="panel search-document" data-testid="search-document" data-doc-id={docId}>
      <div className="row spread">
        <Link href={`/documents/${docId}?passage=${chunkId}`} className="search-title">
          <bdi dir="auto">{docTitle}</bdi>
        </Link>
        {verification !== "unverified" && <Standing verification={verification} />}
      </div>
      <p className="muted small" dir="auto">
        {docPath}
      </p>
      <ol className="stack">
        {results.map((result) => (
          <Row key={result.chunkId} result={result} {...shows} />
        ))}
      </ol>
    </li>
  )
}

const Row = ({ result, words, onShow }: Shows & { readonly result: SearchResult }): ReactNode => {
  const { channels, chunkId, docId, docTitle, headingPath, page, snippet } = result
  const place = [headingPath, ...(page === undefined ? [] : [answerText.page(page)])].filter(
    (part) => part !== ""
  )
  return (
    <li className="search-row" data-testid="search-row" data-doc-id={docId} data-chunk-id={chunkId}>
      <p className="row spread small">
        <Link href={`/documents/${docId}?passage=${chunkId}`} data-search-link="">
          <bdi dir="auto">{place.length === 0 ? docTitle : place.join(" · ")}</bdi>
        </Link>
        <span className="row">
          {channels.map((channel) => (
            <Badge key={channel}>{texts.channels[channel]}</Badge>
          ))}
        </span>
      </p>
      <p className="search-snippet" dir="auto">
        <Highlighted text={snippet} words={words} />
      </p>
      <div>
        <Button
          size="small"
          kind="quiet"
          onClick={() =>
            onShow({
              kind: "source",
              id: docTitle.slice(0, 1),
              source: { ...result, id: chunkId },
              quotes: []
            })
          }
        >
          {texts.beside}
        </Button>
      </div>
    </li>
  )
}

/** The words of the search in bold; longer forms of a word count, too. */
const Highlighted = ({ text, words }: { readonly text: string; readonly words: string }): ReactNode => {
  const stems = [...words.matchAll(/[\p{L}\p{N}]{2,}/gu)].map(([word]) => word.toLowerCase().slice(0, 24))
  if (stems.length === 0) return text
  let at = 0
  const parts = [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap((match) => {
    const word = match[0].toLowerCase()
    if (!stems.some((stem) => word.startsWith(stem.length > 4 ? stem.slice(0, -1) : stem))) return []
    const before = text.slice(at, match.index)
    at = match.index + match[0].length
    return [before, <strong key={match.index}>{match[0]}</strong>]
  })
  return [...parts, text.slice(at)]
}

export default SearchPage
