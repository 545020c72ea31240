import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../contract/dashboard.ts';
import { invalidParameter } from '../kernel/errors.ts';
import { FairSemaphore } from '../kernel/fair-semaphore.ts';

/** What OWASP asks of Argon2id at the least: 19 MiB and two passes, without parallelism; some 30 ms of one core. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes at once in a process: each keeps a thread busy that files and names need too. */
const AT_ONCE = { each: 2, queue: 50, timeoutMs: 5_000 };

const derive = promisify(argon2);
const hashing = new FairSemaphore(AT_ONCE);

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

async function hash(password: string, salt: Buffer, { memory, passes, parallelism }: Parameters): Promise<Buffer> {
  const release = await hashing.acquire('hash');
  try {
    const message = Buffer.from(password.normalize('NFKC'), 'utf8');
    return await derive('argon2id', { message, nonce: salt, parallelism, tagLength: HASH_BYTES, memory, passes });
  } finally {
    release();
  }
}

const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** A password as it is stored: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const made = await hash(password, salt, { memory: MEMORY_KIB, passes: PASSES, parallelism: PARALLELISM });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${text(salt)}$${text(made)}`;
}

const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** Nobody has it: of a name without a password as long is worked on as of one with. */
const nobodys = hashPassword(randomBytes(SALT_BYTES).toString('hex'));

/** Whether a password is the stored one; where none is stored it is not, after the same time. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', wanted = ''] = STORED.exec(stored ?? (await nobodys)) ?? [];
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(wanted, 'base64');
  const made = await hash(password, Buffer.from(salt, 'base64'), parameters);
  return made.length === expected.length && timingSafeEqual(made, expected) && stored !== null;
}

/** Refuses what is soon guessed: what is short, one character again and again, or the person's own address or name. */
export function checkPassword(password: string, { email, name }: { email: string; name: string }): void {
  const { length } = [...password];
  const refuse = (limit: string): never => {
    throw invalidParameter('password', `password ${limit}`);
  };
  if (length < PASSWORD_MIN || length > PASSWORD_MAX) {
    refuse(`must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters, has ${length}`);
  }
  const folded = password.toLowerCase();
  const isOwn = [email, name, ...email.split('@')].some(
    (own) => own.length >= PASSWORD_MIN / 2 && folded.replace(own.toLowerCase(), '').length < PASSWORD_MIN / 2,
  );
  if (isOwn) refuse('must not be your e-mail address or your name');
  if (new Set(folded).size < PASSWORD_MIN / 3) refuse('must have more than three different characters');
}
