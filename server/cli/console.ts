import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { endSession, IdentityStore, makeLink, sessionsOfHost } from "../../core/platform/identity/index.js"
import { NotFound, SessionId, UserId } from "../../core/platform/kernel/index.js"
import { command, group, noInput } from "./command.js"
import { failed } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { withHost } from "./host.js"
import { configOf, serving } from "./serve.js"
import { preparePlace } from "./session.js"
import { tableOf } from "./tables.js"
import { answer, paintNote, print, say, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

export const consoleCommand = command("console", {
  description: "Serve the console, and print a link that signs in once within five minutes.",
  input: z.object({
    host: textFlag("The address to listen on; 127.0.0.1 by default.", "ADDRESS"),
    port: textFlag("The port, 7420 by default; 0 takes a free one.", "N"),
    config: textFlag("A JSON file of settings; KANON_CONFIG by default.", "FILE"),
    as: textFlag(
      "Who acts in the console: a member (usr_…), or any name; the local user by default.",
      "MEMBER"
    ),
    noOpen: switchFlag("Open no browser.")
  }),
  run: function* (input) {
    const config = yield* configOf(input)
    const place = yield* preparePlace(input)
    yield* serving(place, { ...config, console: true, logLevel: "warning" }, ({ url }) =>
      Effect.gen(function* () {
        const token = yield* withHost(
          { ...input, data: place.data, vault: undefined },
          function* ({ workspace }) {
            const actor = input.as ?? "local"
            const member = UserId.safeParse(actor)
            const store = yield* IdentityStore
            if (member.success && Option.isNone(yield* store.role(workspace.id, member.data)))
              return yield* new NotFound({ what: "member" })
            return yield* makeLink(actor, workspace.id)
          }
        )
        const link = `${(config.origin ?? url).replace(/\/+$/, "")}/#token=${token}`
        if (input.json) yield* print(toJson({ url, link }))
        else {
          yield* print(`The console of ${cleanLine(place.vault)}: ${link}`)
          yield* say(paintNote.dim("The link signs in once, within five minutes. Ctrl-C stops the server."))
        }
        if (!input.noOpen && process.stdout.isTTY === true) openInBrowser(link)
      })
    )
  }
})

const openers: Readonly<Record<string, readonly [string, ...ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/** Opens an address in the browser of the desktop; where there is none, the printed link remains. */
const openInBrowser = (address: string): void => {
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"]
  spawn(program, [...words, address], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref()
}

const list = command("list", {
  description: "List the sessions of the console on this host, newest first.",
  input: noInput,
  run: (input) =>
    withHost(input, function* () {
      const config = yield* configOf({})
      const limits = { idleMs: config.consoleIdleMs, maxMs: config.consoleSessionMs }
      const items = (yield* sessionsOfHost(limits)).map(
        ({ actor, createdAt, expiresAt, id, lastSeenAt, method, userAgent }) => ({
          id,
          method,
          actor,
          userAgent,
          createdAt,
          lastSeenAt,
          expiresAt
        })
      )
      yield* answer(input.json, { items, total: items.length }, () =>
        items.length === 0
          ? "No sessions."
          : tableOf(items, ["actor", "method", ["last seen", ({ lastSeenAt }) => lastSeenAt], "id"], {
              shrink: ["actor"]
            })
      )
    })
})

const revoke = command("revoke", {
  description: "End a session of the console, from its next request on.",
  input: z.object({ id: z.string() }),
  arguments: { id: { description: "Id of the session (ses_…)." } },
  run: (input) =>
    withHost(input, function* () {
      const id = Option.fromNullable(SessionId.safeParse(input.id).data)
      if (Option.isNone(id) || !(yield* endSession(id.value)))
        return yield* failed("not_found", "There is no such session.")
      yield* answer(input.json, { deleted: true, id: id.value }, () => `Ended ${id.value}.`)
    })
})

export const sessionCommands = group("sessions", "Sessions of the console.", [list, revoke])
