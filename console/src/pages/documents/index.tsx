import type { ReactNode } from "react"
import { useSearchParams } from "wouter"
import { DocumentPage } from "./document.js"
import { DocumentList } from "./list.js"
import { TrashPage } from "./trash.js"

/** The page `/documents`: the list, the trash, or one document. */
const DocumentsPage = ({
  params
}: {
  readonly params: Readonly<Record<string, string | undefined>>
}): ReactNode => {
  const [address] = useSearchParams()
  if (params["id"] !== undefined) return <DocumentPage key={params["id"]} id={params["id"]} />
  return address.has("trash") ? <TrashPage /> : <DocumentList />
}

export default DocumentsPage
