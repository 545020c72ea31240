import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/ports.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';

/** Longer than the packages take to come and to unpack. Milliseconds. */
export const POOLER_MS = 600_000;

const FOLDER = resolve('.fatura/pgbouncer');

/** The release of Debian whose PgBouncer keeps prepared statements, and what it needs of that release. */
const RELEASE = 'trixie';
const PACKAGES =
  'pgbouncer libc6 libevent-2.1-7t64 libcares2 libssl3t64 libsystemd0 libpam0g libcap2 libaudit1 libcap-ng0 libzstd1 zlib1g';

/** Fetches the packages and unpacks them into a folder of ours: the machine's own stay as they are. */
function install(): void {
  const made = `${FOLDER}.${process.pid}`;
  for (const part of ['lists/partial', 'archives/partial', 'root']) mkdirSync(join(made, part), { recursive: true });
  const sources = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/debian.sources')].filter((file) =>
    existsSync(file),
  );
  const listed = sources.map((file) => readFileSync(file, 'utf8')).find((text) => /debian/.test(text)) ?? '';
  const isOneLine = /^deb /m.test(listed);
  const file = join(made, isOneLine ? 'debian.list' : 'debian.sources');
  const mirror = /https?:\/\/\S+\/debian(?=\/?\s)/.exec(listed)?.[0];
  if (mirror === undefined) throw new Error('apt knows no mirror of Debian here');
  writeFileSync(
    file,
    isOneLine
      ? `deb ${mirror} ${RELEASE} main\n`
      : `Types: deb\nURIs: ${mirror}\nSuites: ${RELEASE}\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n`,
  );
  writeFileSync(join(made, 'status'), '');
  const settings = {
    'Dir::State::Lists': join(made, 'lists'),
    'Dir::State::status': join(made, 'status'),
    'Dir::Cache::Archives': join(made, 'archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'Dir::Etc::sourcelist': file,
    'Dir::Etc::sourceparts': '-',
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const cwd = join(made, 'archives');
  execFileSync('apt-get', [...options, 'update'], { cwd, stdio: 'pipe' });
  execFileSync('apt-get', [...options, 'download', ...PACKAGES.split(' ')], { cwd, stdio: 'pipe' });
  for (const archive of globSync(join(cwd, '*.deb')))
    execFileSync('dpkg', ['-x', archive, join(made, 'root')], { stdio: 'pipe' });
  rmSync(FOLDER, { recursive: true, force: true });
  execFileSync('mv', [join(made, 'root'), FOLDER]);
  rmSync(made, { recursive: true, force: true });
}

/** Why there is no PgBouncer here; null: there is. Installed first where it is missing. */
export function lackOfPgbouncer(): string | null {
  if (existsSync(join(FOLDER, 'usr/sbin/pgbouncer'))) return null;
  try {
    install();
    return null;
  } catch (error) {
    return `PgBouncer cannot be installed: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}

interface Pooler {
  readonly port: number;
  stop(): Promise<void>;
}

/** The file of docs/operations.md#a-pooler, for whichever database of the server. */
const configuration = (
  postgres: URL,
  { port, users, prepared }: { port: number; users: string; prepared: number },
): string =>
  `[databases]
* = host=127.0.0.1 port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_prepared_statements = ${prepared}
default_pool_size = 40
max_client_conn = 2000
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`;

/** Starts PgBouncer in transaction mode before a server; it refuses to run as root, and becomes somebody else. */
export async function startPgbouncer(
  postgresUrl: string,
  { prepared = 200 }: { prepared?: number } = {},
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-pgbouncer-'));
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const logins = Object.values(loginUrls(postgresUrl)).map((url) => new URL(url));
  writeFileSync(users, logins.map(({ username, password }) => `"${username}" "${password}"\n`).join(''));
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configuration(new URL(postgresUrl), { port, users, prepared }));
  const [loader = ''] = globSync(join(FOLDER, 'usr/lib/*/ld-linux-*'));
  const args = ['--library-path', dirname(loader), join(FOLDER, 'usr/sbin/pgbouncer'), '-q', file];
  const child = spawn(loader, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (child.exitCode !== null || tries > 200) throw new Error('PgBouncer does not start');
    await sleep(50);
  }
  return {
    port,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
