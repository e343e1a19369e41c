import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { strToU8, zipSync } from "fflate"
import type { UploadedFile } from "../../core/connected/sources/index.js"
import { startObjectStorage } from "../support/object-storage.js"
import { confluenceServer } from "../support/sources/confluence.js"
import { mailSource, webDavSource } from "../support/sources/crawled.js"
import { openCrawler } from "../support/sources/crawling.js"
import { changesIn, gitRepository } from "../support/sources/git-repository.js"
import { gitHubServer } from "../support/sources/github.js"
import { googleDriveServer } from "../support/sources/google-drive.js"
import { graphServer } from "../support/sources/graph.js"
import { adf, adfParagraph, jiraServer } from "../support/sources/jira.js"
import { mailServer } from "../support/sources/mail.js"
import { mediaWikiServer } from "../support/sources/mediawiki.js"
import { slackServer } from "../support/sources/slack.js"
import { webSite } from "../support/sources/web-site.js"
import { webDavServer } from "../support/sources/webdav.js"
import { crawlerContract } from "./crawler.js"

const temporaryFolder = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), `kanon-${name}-`))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

crawlerContract(
  "Git repository",
  Effect.gen(function* () {
    const repository = yield* gitRepository
    const { folder } = repository
    const cacheFolder = yield* temporaryFolder("cache")
    repository.write("ignored.bin", "no document")
    repository.commit("Begin")
    return {
      open: openCrawler(
        { provider: "git", url: `file://${folder}`, branch: "main" },
        { folders: [folder], cacheFolder }
      ),
      ...changesIn(repository)
    }
  })
)

crawlerContract(
  "MediaWiki",
  Effect.map(mediaWikiServer({ pauses: 1 }), (wiki) => {
    const titleOf = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
    return {
      open: openCrawler({ provider: "mediawiki", url: `${wiki.origin}/wiki/Main_Page`, namespaces: [0, 12] }),
      put: async (name, text) => {
        wiki.edit(titleOf(name), `<p>${text}</p>`)
      },
      remove: async (name) => wiki.remove(titleOf(name)),
      rename: async (from, to) => wiki.move(titleOf(from), titleOf(to))
    }
  })
)

crawlerContract(
  "Confluence",
  Effect.map(
    confluenceServer(`Basic ${Buffer.from("ada@example.org:secret").toString("base64")}`),
    (site) => ({
      open: openCrawler(
        { provider: "confluence", url: site.url, spaces: ["DOC"], username: "ada@example.org" },
        { credential: "secret" }
      ),
      put: async (name, text) => {
        site.put(name, `<p>${text}</p>`)
      },
      remove: async (name) => site.remove(name),
      rename: async (from, to) => site.rename(from, to)
    })
  )
)

crawlerContract(
  "web site",
  Effect.gen(function* () {
    const site = yield* webSite
    const cacheFolder = yield* temporaryFolder("web")
    const names = new Set<string>()
    // Without text the start page is no document.
    site.pages.set("/", () => ({
      body: `<nav>${[...names].map((name) => `<a href="/${name}">${name}</a>`).join("")}</nav>`
    }))
    return {
      open: openCrawler({ provider: "web", url: site.origin }, { cacheFolder }),
      put: async (name, text) => {
        names.add(name)
        site.pages.set(`/${name}`, `<main><p>${text}</p></main>`)
      },
      remove: async (name) => {
        names.delete(name)
        site.pages.delete(`/${name}`)
      },
      rename: async (from, to) => {
        names.add(to)
        site.pages.set(`/${to}`, site.pages.get(`/${from}`) ?? "")
        site.pages.set(`/${from}`, { status: 301, headers: { location: `/${to}` } })
      }
    }
  })
)

crawlerContract(
  "WebDAV",
  Effect.map(webDavServer("ada", "secret"), (server) => webDavSource(server, "ada", "secret"))
)

crawlerContract(
  "S3",
  Effect.gen(function* () {
    const storage = yield* Effect.acquireRelease(Effect.promise(startObjectStorage), ({ close }) =>
      Effect.promise(close)
    )
    const sdk = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
    const client = new sdk.S3Client({ region: "us-east-1", forcePathStyle: true })
    yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
    const keyOf = (name: string) => ({ Bucket: storage.bucket, Key: `library/${name} + ü/${name}.md` })
    return {
      open: openCrawler(
        {
          provider: "s3",
          endpoint: storage.environment.AWS_ENDPOINT_URL_S3,
          bucket: storage.bucket,
          prefix: "library/",
          accessKeyId: storage.environment.AWS_ACCESS_KEY_ID
        },
        { credential: storage.environment.AWS_SECRET_ACCESS_KEY }
      ),
      put: async (name, text) => {
        await client.send(new sdk.PutObjectCommand({ ...keyOf(name), Body: text }))
      },
      remove: async (name) => {
        await client.send(new sdk.DeleteObjectCommand(keyOf(name)))
      }
    }
  })
)

crawlerContract(
  "Slack",
  Effect.map(slackServer("xoxb-secret"), (workspace) => {
    let second = Math.floor(Date.now() / 1000) - 1000
    return {
      open: openCrawler(
        { provider: "slack", url: workspace.url, requestsPerSecond: 1000 },
        { credential: "xoxb-secret" }
      ),
      put: async (name, text) => {
        const messages = workspace.channel(name)
        const [known] = messages
        if (known === undefined) messages.push({ ts: `${second++}.000100`, user: "U1", text })
        else Object.assign(known, { text, edited: { ts: `${second++}.000000` } })
      },
      remove: async (name) => {
        workspace.channel(name).splice(0)
      }
    }
  })
)

crawlerContract(
  "GitHub",
  Effect.map(gitHubServer("ghp_secret"), (server) => {
    const numberOf = (name: string) =>
      [...server.issues.values()].find(({ title }) => title === name)?.number ?? 0
    return {
      open: openCrawler(
        { provider: "github", url: server.origin, repository: "boats/sail" },
        { credential: "ghp_secret" }
      ),
      // Some are discussions, others issues.
      put: async (name, text) => {
        server.put(name, { body: text, isDiscussion: /^[a-d]/.test(name) })
      },
      remove: async (name) => {
        server.issues.delete(numberOf(name))
      },
      rename: async (from, to) => {
        const issue = server.issues.get(numberOf(from))
        if (issue !== undefined)
          server.issues.set(issue.number, { ...issue, title: to, updatedAt: server.tick() })
      }
    }
  })
)

crawlerContract(
  "Jira",
  Effect.map(jiraServer(`Basic ${Buffer.from("ada@example.org:secret").toString("base64")}`), (site) => {
    const find = (name: string) => [...site.issues.values()].find(({ summary }) => summary === name)
    return {
      open: openCrawler(
        { provider: "jira", url: site.url, username: "ada@example.org", projects: ["BOAT"] },
        { credential: "secret" }
      ),
      put: async (name, text) => {
        site.put(name, adf(adfParagraph(text)))
      },
      remove: async (name) => {
        site.issues.delete(find(name)?.id ?? "")
      },
      rename: async (from, to) => {
        const issue = find(from)
        if (issue !== undefined) Object.assign(issue, { summary: to, updatedAt: issue.updatedAt + 1 })
      }
    }
  })
)

crawlerContract(
  "mail over IMAP",
  Effect.flatMap(mailServer("ada", "secret"), (url) => mailSource(url, "ada", "secret"))
)

const uploaded = (path: string, text: string): UploadedFile => ({
  path,
  bytes: strToU8(text),
  url: null,
  author: null,
  modifiedAt: null
})

crawlerContract(
  "upload of files",
  Effect.sync(() => {
    const files = new Map<string, string>()
    return {
      open: Effect.suspend(() =>
        openCrawler(
          { provider: "markdown_upload" },
          {
            upload: {
              files: [...files].map(([name, text]) => uploaded(`notes/${name}.md`, text)),
              isComplete: true
            }
          }
        )
      ),
      put: async (name, text) => void files.set(name, text),
      remove: async (name) => void files.delete(name),
      rename: async (from, to) => {
        files.set(to, files.get(from) ?? "")
        files.delete(from)
      }
    }
  })
)

const chatMessages = (text: string) =>
  JSON.stringify([{ type: "message", user: "U1", ts: "1715000000.000100", text }])

crawlerContract(
  "export of Slack",
  Effect.map(temporaryFolder("export"), (folder) => {
    const channels = new Map<string, string>()
    const archive = join(folder, "export.zip")
    const write = () => {
      const channelList = [...channels.keys()].map((name) => ({ id: `C-${name}`, name }))
      writeFileSync(
        archive,
        zipSync({
          "users.json": strToU8(JSON.stringify([{ id: "U1", profile: { display_name: "Ada" } }])),
          "channels.json": strToU8(JSON.stringify(channelList)),
          ...Object.fromEntries(
            [...channels].map(([name, text]) => [`${name}/2024-05-06.json`, strToU8(chatMessages(text))])
          )
        })
      )
    }
    return {
      open: openCrawler({ provider: "slack_export", url: `file://${archive}` }, { folders: [folder] }),
      put: async (name, text) => {
        channels.set(name, text)
        write()
      },
      remove: async (name) => {
        channels.delete(name)
        write()
      }
    }
  })
)

crawlerContract(
  "export of Mattermost",
  Effect.sync(() => {
    const posts = new Map<string, string>()
    const lines = () =>
      [
        { type: "version", version: 1 },
        { type: "user", user: { username: "ada", first_name: "Ada", last_name: "Lovelace" } },
        ...[...posts].map(([channel, message]) => ({
          type: "post",
          post: { team: "core", channel, user: "ada", message, create_at: 1_715_000_000_000, replies: [] }
        }))
      ]
        .map((line) => JSON.stringify(line))
        .join("\n")
    return {
      open: Effect.suspend(() =>
        openCrawler(
          { provider: "mattermost_export", url: "https://example.org/export.zip" },
          { upload: { files: [uploaded("import.jsonl", lines())], isComplete: true } }
        )
      ),
      put: async (name, text) => void posts.set(name, text),
      remove: async (name) => void posts.delete(name)
    }
  })
)

crawlerContract(
  "Google Drive",
  Effect.map(googleDriveServer(), (drive) => ({
    open: openCrawler(
      { provider: "google_drive", url: drive.url, tokenUrl: drive.tokenUrl },
      { credential: JSON.stringify({ clientId: "kanon", clientSecret: "secret" }) }
    ),
    put: async (name, text) => void drive.put(`${name}.md`, text),
    remove: async (name) => drive.remove(`${name}.md`),
    rename: async (from, to) => drive.rename(`${from}.md`, `${to}.md`)
  }))
)

crawlerContract(
  "SharePoint",
  Effect.map(graphServer(), (graph) => ({
    open: openCrawler(
      {
        provider: "sharepoint",
        site: "https://team.example/sites/Team",
        tenant: "example",
        url: graph.url,
        tokenUrl: graph.tokenUrl
      },
      { credential: JSON.stringify({ clientId: "kanon", clientSecret: "secret" }) }
    ),
    put: async (name, text) => void graph.put(`${name}.md`, text),
    remove: async (name) => graph.remove(`${name}.md`),
    rename: async (from, to) => {
      const id = graph.put(`${from}.md`, `The first text of ${from}.`)
      graph.change(id, { name: `${to}.md` })
    }
  }))
)
