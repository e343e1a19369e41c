import { type ReactNode, useEffect, useRef, useState } from "react"
import { useScopeReason } from "../api/session.js"
import { Button } from "../components/button.js"
import { uploadText as text } from "../strings/uploads.js"
import { useUploads } from "./provider.js"
import { chosenFiles, type Dropped, droppedFiles } from "./send.js"

/** Takes files and folders that are dropped anywhere on the page or chosen, for a folder. */
export const DropZone = ({ folder = "" }: { readonly folder?: string }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const send = useUploads()
  const [isOver, setOver] = useState(false)
  const add = (files: ReadonlyArray<Dropped>) => send(files, folder)
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    if (writeReason !== undefined) return
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      setOver(false)
      void droppedFiles(event.dataTransfer).then((files) => latest.current(files))
    }
    addEventListener("dragover", over)
    addEventListener("dragleave", leave)
    addEventListener("drop", drop)
    return () => {
      removeEventListener("dragover", over)
      removeEventListener("dragleave", leave)
      removeEventListener("drop", drop)
    }
  }, [writeReason])
  return (
    <>
      {isOver && (
        <div className="drop-shade" aria-hidden="true">
          <p>{text.drop}</p>
        </div>
      )}
      <span className="row tight">
        <Chooser label={text.add} testId="upload-files" reason={writeReason} onFiles={add} />
        <Chooser label={text.addFolder} testId="upload-folder" isFolder reason={writeReason} onFiles={add} />
      </span>
    </>
  )
}

const Chooser = ({
  isFolder = false,
  label,
  onFiles,
  reason,
  testId
}: {
  readonly label: string
  readonly testId: string
  readonly isFolder?: boolean
  readonly reason: string | undefined
  readonly onFiles: (files: ReadonlyArray<Dropped>) => void
}): ReactNode => {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button reason={reason} onClick={() => field.current?.click()}>
        {label}
      </Button>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        data-testid={testId}
        // Not in the types of React: a choice of a whole folder.
        {...(isFolder ? { webkitdirectory: "" } : {})}
        onChange={(event) => {
          onFiles(chosenFiles([...(event.target.files ?? [])]))
          event.target.value = ""
        }}
      />
    </>
  )
}
