// Jezero for OpenCode. SPDX-License-Identifier: Apache-2.0
//
// Runs jezero-client at OpenCode's events and gives the model what it prints.
// OpenCode draws its screen on the terminal that this file shares, and waits for
// it at the start: so nothing here ever writes to stdout or stderr, nothing
// throws, no child gets the terminal, and no child is waited for longer than
// LIMIT_MS, whatever it does. What goes wrong is in client.log.
//
// The first line is the same in every version: `jezero-client setup` knows the
// file by it.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { accessSync, appendFileSync, constants, existsSync, readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

const LIMIT_MS = 5000
const OUTPUT_MOST = 64 * 1024 // characters; the program prints far less
const SESSIONS_MOST = 500 // whose protocol is kept

// Like the program's own rules: a relative folder counts as not set.
function folder(variable, fallback) {
  const value = process.env[variable]
  return value && isAbsolute(value) ? value : join(homedir(), fallback)
}

function findHome() {
  const set = process.env.JEZERO_CLIENT_HOME
  if (set) return set
  const homes = [
    join(folder("XDG_CONFIG_HOME", ".config"), "opencode", "jezero"),
    join(folder("CLAUDE_CONFIG_DIR", ".claude"), "jezero"),
    join(folder("CODEX_HOME", ".codex"), "jezero"),
  ]
  return homes.find((home) => existsSync(join(home, "client.json"))) ?? join(homedir(), ".jezero")
}

// A home that others can read or write is refused, as the program does.
function isPrivate(path) {
  const found = statSync(path)
  return found.uid === process.getuid() && (found.mode & 0o077) === 0
}

// What the MCP server needs, or null: without a key this plugin does nothing.
function readHome(home) {
  try {
    if (!isAbsolute(home) || !isPrivate(home) || !isPrivate(join(home, "token"))) return null
    const config = JSON.parse(readFileSync(join(home, "client.json"), "utf8"))
    const key = readFileSync(join(home, "token"), "utf8").trim()
    if (typeof config.url !== "string" || !config.url || !key) return null
    const path = typeof config.mcp_path === "string" ? config.mcp_path : "/mcp"
    return { url: config.url.replace(/\/+$/, "") + path, key }
  } catch {
    return null
  }
}

function log(home, text) {
  try {
    const now = new Date().toISOString().replace(/\.\d+Z$/, "+00:00")
    appendFileSync(join(home, "client.log"), `${now} opencode plugin: ${text}\n`, { mode: 0o600 })
  } catch {
    // There is nowhere else to say it.
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

// Agents with a window have a short PATH.
function findProgram() {
  const set = process.env.JEZERO_CLIENT ?? ""
  if (isAbsolute(set) && isProgram(set)) return set
  const folders = (process.env.PATH ?? "").split(":").filter(isAbsolute)
  folders.push(join(homedir(), ".local/bin"), "/usr/local/bin", "/opt/homebrew/bin")
  return folders.map((path) => join(path, "jezero-client")).find(isProgram) ?? null
}

// The whole group, with SIGKILL: a child may ignore everything else.
function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}

// What a hook prints; "" if it fails in any way. In a group of its own, it also
// ends its work when OpenCode ends first.
function runHook(program, event, input, onFailure) {
  return new Promise((resolve) => {
    let child
    let timer
    let output = ""
    const finish = (text, failure) => {
      clearTimeout(timer)
      if (failure) onFailure(`${event}: ${failure}`)
      resolve(text)
    }
    try {
      child = spawn(program, ["hook", event, "--agent", "opencode"], {
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
      })
      child.on("error", (error) => finish("", error.message))
      child.stdin.on("error", () => {})
      child.stdout.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => {
        if (output.length < OUTPUT_MOST) output += text
      })
      child.on("close", (status) => finish(status === 0 ? output : ""))
      timer = setTimeout(() => {
        kill(child)
        child.stdout.destroy()
        child.unref()
        finish("", `stopped after ${LIMIT_MS} ms`)
      }, LIMIT_MS)
      child.stdin.end(JSON.stringify(input))
    } catch (error) {
      if (child?.pid) kill(child)
      finish("", String(error?.message ?? error))
    }
  })
}

// OpenCode sorts parts by their ids: six bytes of time in its own unit, then
// what makes them different. This one comes behind those of the same moment.
function partId() {
  const time = (BigInt(Date.now()) * 4096n + 4095n) & 0xffffffffffffn
  return `prt_${time.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`
}

function promptOf(parts) {
  return parts
    .filter((part) => part?.type === "text" && !part.synthetic && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n")
}

// A certificate of the user's own is known to the program and not to OpenCode,
// which then talks to the server through it.
function server(home, { url, key }, program) {
  const hasCertificate = process.env.JEZERO_CA_FILE || existsSync(join(home, "ca.pem"))
  if (hasCertificate && program) {
    return { type: "local", command: [program, "mcp", "--agent", "opencode"], enabled: true }
  }
  return { type: "remote", url, headers: { Authorization: `Bearer ${key}` }, oauth: false, enabled: true }
}

function hooksFor(directory) {
  const home = findHome()
  const access = readHome(home)
  if (!access) return {}

  const program = findProgram()
  if (!program) log(home, "jezero-client was not found: set JEZERO_CLIENT to its path")
  const protocols = new Map() // by session; promises, as two calls may come at once

  const run = (event, sessionID, more) =>
    program
      ? runHook(program, event, { session_id: sessionID ?? "", cwd: directory, ...more }, (text) => log(home, text))
      : Promise.resolve("")

  // OpenCode makes the system prompt anew for each call and keeps none of it. So
  // each session is asked for once by each process, and always as after a clear:
  // what it was told before is not there any more.
  const askProtocol = (sessionID) => {
    if (protocols.size >= SESSIONS_MOST) protocols.delete(protocols.keys().next().value)
    const text = run("session-start", sessionID, { source: "clear" })
    protocols.set(sessionID, text)
    return text
  }

  // Nothing that OpenCode passes is believed to have a form.
  const guard = (hook) => async (...values) => {
    try {
      await hook(...values)
    } catch (error) {
      log(home, String(error?.message ?? error))
    }
  }

  return {
    config: guard((config) => {
      config.mcp ??= {}
      config.mcp.jezero ??= server(home, access, program)
    }),

    "experimental.chat.system.transform": guard(async (input, output) => {
      const sessionID = input?.sessionID ?? ""
      const text = await (protocols.get(sessionID) ?? askProtocol(sessionID))
      if (text.trim()) output.system.push(text)
    }),

    "chat.message": guard(async (input, output) => {
      const sessionID = input?.sessionID ?? output.message.sessionID
      const prompt = promptOf(output.parts)
      if (!prompt.trim()) return
      const text = await run("user-prompt", sessionID, { prompt })
      if (!text.trim()) return
      output.parts.push({
        id: partId(),
        sessionID,
        messageID: output.message.id,
        type: "text",
        text,
        synthetic: true,
      })
    }),

    event: guard(async ({ event }) => {
      const sessionID = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (event?.type === "session.idle") {
        await run("stop", sessionID)
      } else if (event?.type === "session.compacted" || event?.type === "session.deleted") {
        protocols.delete(sessionID) // after a compaction recent work comes anew
      }
    }),
  }
}

export const JezeroPlugin = async (input) => {
  try {
    return hooksFor(input?.directory ?? process.cwd())
  } catch {
    return {}
  }
}
