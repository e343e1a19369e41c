import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { v2 as dav } from "webdav-server"

/** A WebDAV server over a folder, with a name and a password. */
export const webDavServer = (username: string, password: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = mkdtempSync(join(tmpdir(), "kanon-webdav-"))
        mkdirSync(join(folder, "library"))
        const users = new dav.SimpleUserManager()
        const user = users.addUser(username, password, false)
        const rights = new dav.SimplePathPrivilegeManager()
        rights.setRights(user, "/", ["all"])
        const server = new dav.WebDAVServer({
          hostname: "127.0.0.1",
          port: 0,
          requireAuthentification: true,
          httpAuthentication: new dav.HTTPBasicAuthentication(users),
          privilegeManager: rights
        })
        await server.setFileSystemAsync("/", new dav.PhysicalFileSystem(folder))
        const http = await server.startAsync(0)
        return { folder, server, port: (http.address() as AddressInfo).port }
      }),
      ({ folder, server }) =>
        Effect.promise(async () => {
          await server.stopAsync()
          rmSync(folder, { recursive: true, force: true })
        })
    ),
    ({ folder, port }) => ({ folder: join(folder, "library"), url: `http://127.0.0.1:${port}/library` })
  )
