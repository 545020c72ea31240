import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../deploy/systemd');

/** What systemd starts a process in production with, whatever the operator sets besides. */
export function unitSettings(process: 'api' | 'worker'): Record<string, string> {
  const unit = readFileSync(resolve(FOLDER, `fatura-${process}.service`), 'utf8');
  const lines = unit.matchAll(/^Environment="?(\w+)=(.*?)"?$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}
