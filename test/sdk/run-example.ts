import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** A program of `sdk/examples`, run as a merchant would, with no key but one that is given. */
export async function runExample(name: string, args: string[], env: Record<string, string>) {
  const { API_KEY: _, ...inherited } = process.env;
  const program = fileURLToPath(new URL(`../../sdk/examples/${name}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { env: { ...inherited, ...env } });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ]);
  return { stdout, stderr, code };
}
