import { type ReactNode, useState } from "react"
import { basePath } from "../api/connection.js"
import type { InputOf, OperationName } from "../api/hooks.js"
import { useSession } from "../api/session.js"
import { strings } from "../strings.js"
import { Button } from "./button.js"

/** Method and path of the operation as `kanon/client` would send it, without sending it. */
const wireOf = async (
  name: string,
  input: object
): Promise<{ url: string; method: string; body?: string }> => {
  const { createClient } = await import("../../../server/client/index.js")
  let seen: { url: string; method: string; body?: string } = { url: "", method: "GET" }
  const probe = createClient({
    baseUrl: location.origin + basePath,
    retries: 0,
    fetch: async (url, init) => {
      seen = {
        url,
        method: init.method ?? "GET",
        ...(typeof init.body === "string" ? { body: init.body } : {})
      }
      return new Response("{}", { headers: { "content-type": "application/json" } })
    }
  }) as unknown as Readonly<Record<string, (given: object) => Promise<unknown>>>
  await probe[name]?.(input)
  return seen
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curlOf = (
  { url, method, body }: { url: string; method: string; body?: string },
  workspaceId: string | null
): string =>
  [
    `curl${method === "GET" ? "" : ` -X ${method}`} -H "Authorization: Bearer $KANON_KEY"`,
    ...(workspaceId === null ? [] : [`  -H "X-Workspace-Id: ${workspaceId}"`]),
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json' -d ${quoted(body)}`]),
    `  ${quoted(url)}`
  ].join(" \\\n")

/** Shows how a program gets what the page shows: with curl and with `kanon/client`. */
export const ApiCall = <Name extends OperationName>({
  name,
  input
}: {
  readonly name: Name
  readonly input: InputOf<Name>
}): ReactNode => {
  const [curl, setCurl] = useState("")
  const { workspaceId, workspaces } = useSession()
  // A key of one workspace needs no header; that of a person who is in several does.
  const needed = workspaces.length > 1 ? workspaceId : null
  const given = Object.keys(input).length === 0 ? "" : JSON.stringify(input, undefined, 2)
  const code = `const result = await client.${name}(${given})`
  return (
    <details
      className="api-call"
      data-testid="api-call"
      onToggle={(event) => {
        if (event.currentTarget.open) void wireOf(name, input).then((wire) => setCurl(curlOf(wire, needed)))
      }}
    >
      <summary>{strings.apiCall.title}</summary>
      <Snippet label={strings.apiCall.curl} text={curl} />
      <Snippet label={strings.apiCall.client} text={code} />
    </details>
  )
}

const Snippet = ({ label, text }: { readonly label: string; readonly text: string }): ReactNode => {
  const [copied, setCopied] = useState(false)
  return (
    <figure className="snippet">
      <figcaption>
        {label}
        <Button
          size="small"
          kind="quiet"
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          {copied ? strings.actions.copied : strings.actions.copy}
        </Button>
      </figcaption>
      {/* A block that scrolls has to be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
