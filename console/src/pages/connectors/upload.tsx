import { type ReactNode, useState } from "react"
import type { ContentConnector, UploadFile } from "../../../../server/client/index.js"
import { useChange } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { connectorText } from "../../strings/connectors.js"
import { base64Of } from "../../uploads/send.js"

const text = connectorText.upload
const filesMax = 200
/** The body of a request holds 10 MiB, and Base64 makes a third more of the bytes. */
const bytesMax = 7_000_000

/** Sends chosen files to a connector that takes uploads. */
export const Upload = ({
  connector: { enabled, id }
}: {
  readonly connector: ContentConnector
}): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const [isFull, setFull] = useState(false)
  const sync = useChange("syncContentConnector", ["getContentConnector", "listContentConnectors", "listJobs"])
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const reason =
    writeReason ??
    (enabled ? undefined : connectorText.sync.disabled) ??
    (files.length === 0
      ? text.none
      : files.length > filesMax
        ? text.tooMany
        : size > bytesMax
          ? text.tooLarge
          : undefined)
  const send = async () => {
    const read = await Promise.all(files.map(readUpload))
    const started = await sync
      .mutateAsync({ id, mode: isFull ? "full" : "incremental", files: read })
      .catch(() => null)
    if (started === null) return
    setFiles([])
    toast({ text: connectorText.sync.started })
  }
  return (
    <form
      className="panel stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        if (reason === undefined) void send()
      }}
    >
      <h2>{text.title}</h2>
      <Field label={text.choose} hint={text.hint}>
        <input type="file" multiple onChange={(event) => setFiles([...(event.target.files ?? [])])} />
      </Field>
      <Field label={text.folder}>
        <input
          type="file"
          multiple
          // Not in the types of React: a choice of a whole folder.
          {...{ webkitdirectory: "" }}
          onChange={(event) => setFiles([...(event.target.files ?? [])])}
        />
      </Field>
      <label className="check">
        <input type="checkbox" checked={isFull} onChange={(event) => setFull(event.target.checked)} />
        {text.all}
      </label>
      <ErrorNote error={sync.error} />
      <p>
        <Button type="submit" kind="primary" reason={reason} busy={sync.isPending}>
          {text.send(files.length)}
        </Button>
      </p>
    </form>
  )
}

const readUpload = async (file: File): Promise<UploadFile> => {
  // The chosen folder itself is not part of the path.
  const path =
    file.webkitRelativePath === "" ? file.name : file.webkitRelativePath.split("/").slice(1).join("/")
  return {
    path: path.normalize("NFC"),
    content: await base64Of(file),
    encoding: "base64",
    modifiedAt: new Date(file.lastModified).toISOString()
  }
}
