import { type ReactNode, useState } from "react"
import type { RenderedDocument } from "../../../../react/index.js"
import { callOperation, useChange, useOperation } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { Loaded, Loading } from "../../components/states.js"
import { Badge, Person, Standing, Time } from "../../components/text.js"
import { TextDiff } from "../../components/text-diff.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"

const texts = strings.documents

/** All versions, what the chosen one changed, and its restoration. */
export const Versions = ({
  document,
  reason
}: {
  readonly document: RenderedDocument
  readonly reason: string | undefined
}): ReactNode => {
  const { id, version: current } = document
  const versions = useOperation("listDocumentVersions", { id, limit: 200 })
  const [chosen, setChosen] = useState(current)
  const [withCurrent, setWithCurrent] = useState(false)
  const confirm = useConfirm()
  const toast = useToast()
  const save = useChange("replaceDocument", [
    "getDocument",
    "listDocuments",
    "listDocumentVersions",
    "getDocumentLineage"
  ])
  const restore = () =>
    confirm({
      title: texts.restoreTitle(chosen),
      text: texts.restoreText,
      action: texts.restore,
      run: async () => {
        const { items } = await callOperation("listDocumentVersions", { id, version: chosen })
        const content = items[0]?.content
        if (content === undefined) throw new Error(strings.errors.byCode["not_found"])
        await save.mutateAsync({ id, content, expectVersion: current })
        toast({ text: texts.restored(chosen) })
      }
    })
  return (
    <Loaded query={versions}>
      {({ items }) => {
        const before = items.map(({ version }) => version).filter((version) => version < chosen)
        const other = withCurrent ? current : (before[0] ?? null)
        return (
          <div className="split reverse">
            <ol className="list">
              {items.map(({ activity, changedBy, createdAt, origin, verification, version }) => (
                <li key={version}>
                  <button
                    type="button"
                    className="list-row plain-row"
                    data-testid="version-row"
                    data-version={version}
                    aria-current={version === chosen}
                    onClick={() => setChosen(version)}
                  >
                    <span className="row">
                      <strong>{texts.version(version)}</strong>
                      {version === current && <Badge tone="info">{texts.current}</Badge>}
                      {verification !== "unverified" && <Standing verification={verification} />}
                    </span>
                    <span className="row small muted">
                      <Time at={createdAt} />
                      <Person id={changedBy} />
                      <span title={activity}>{texts.origins[origin]}</span>
                    </span>
                  </button>
                </li>
              ))}
            </ol>
            <div className="stack">
              <div className="row spread">
                <label className="row small">
                  {texts.compareWith}
                  <select
                    value={withCurrent ? "current" : "previous"}
                    onChange={(event) => setWithCurrent(event.target.value === "current")}
                  >
                    <option value="previous">{texts.previous}</option>
                    <option value="current">{texts.conflictCurrent(current)}</option>
                  </select>
                </label>
                {chosen !== current && (
                  <Button reason={reason} onClick={restore}>
                    {texts.restore}
                  </Button>
                )}
              </div>
              <VersionDiff id={id} version={chosen} other={other} isReversed={withCurrent} />
            </div>
          </div>
        )
      }}
    </Loaded>
  )
}

const VersionDiff = ({
  id,
  version,
  other,
  isReversed
}: {
  readonly id: string
  readonly version: number
  readonly other: number | null
  /** From the chosen version to the current one, instead of from the one before. */
  readonly isReversed: boolean
}): ReactNode => {
  const chosen = useOperation("listDocumentVersions", { id, version })
  const beside = useOperation(
    "listDocumentVersions",
    { id, version: other ?? version },
    { enabled: other !== null }
  )
  const [text, otherText] = [chosen.data?.items[0]?.content, beside.data?.items[0]?.content]
  if (text === undefined || (other !== null && otherText === undefined)) return <Loading />
  const [before, after] = isReversed ? [text, otherText ?? text] : [otherText ?? "", text]
  return (
    <>
      {other === null && <p className="muted small">{texts.firstVersion}</p>}
      <TextDiff
        testId="document-diff"
        before={before}
        after={after}
        label={texts.conflictDiff}
        same={texts.same}
      />
    </>
  )
}
