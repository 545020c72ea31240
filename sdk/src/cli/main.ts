#!/usr/bin/env node
import { runProgram } from './program.ts';

/** Aborted by the first Ctrl-C; the second ends the process as it stands. */
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  ended: ended.signal,
  say: (line) => void process.stdout.write(`${line}\n`),
  tell: (line) => void process.stderr.write(`${line}\n`),
});
