// Takes out of node_modules what a machine of this platform never loads: Temporal's native core for the others, which are four fifths of it.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' };
const SYSTEMS = { linux: 'unknown-linux-gnu', darwin: 'apple-darwin', win32: 'pc-windows-msvc' };

const kept = `${PROCESSORS[process.arch]}-${SYSTEMS[process.platform]}`;
const releases = join('node_modules', '@temporalio', 'core-bridge', 'releases');
const found = readdirSync(releases);
if (!found.includes(kept)) throw new Error(`${releases} has no ${kept}, only ${found.join(', ')}`);
for (const release of found) if (release !== kept) rmSync(join(releases, release), { recursive: true });
