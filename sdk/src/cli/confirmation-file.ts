import { join } from 'node:path';
import { configFolder, type Environment, forget, keep } from './config.ts';

/** A question as the file shows it. */
interface Question {
  readonly words: string;
  readonly code: string;
  readonly endsMs: number;
}

/** Where a person reads the codes that confirm, whose client does not show what a server tells; one for each server. */
export function confirmationFile(env: Environment) {
  const path = join(configFolder(env), 'confirmations', `${process.pid}.json`);
  return {
    path,
    show: (open: readonly Question[]): Promise<void> =>
      keep(path, {
        open: open.map(({ words, code, endsMs }) => ({ code, words, until: new Date(endsMs).toISOString() })),
      }),
    remove: (): Promise<void> => forget(path),
  };
}
